package harness

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// paramParser reads what follows a fault's name into the fault.
type paramParser struct {
	f *Fault
	// body is the whole line, t what of it is not read yet.
	body string
	t    []token
	kind FaultKind
}

// run reads the parameters in the form that the fault's kind has.
func (p *paramParser) run() (err error) {
	f := p.f
	switch p.kind.Params {
	case NoParams:
	case CountParams:
		f.N, err = p.count()
	case BytesParams:
		f.N, err = p.bytes()
	case HeadParams:
		f.Head = p.word("head")
		f.N, err = p.bytes()
	case StatusParams:
		if f.N, err = p.status(); err == nil && p.word("retry-after") {
			f.RetryAfter, err = p.span()
		}
	case CodeParams:
		if f.N, err = p.status(); err == nil && len(p.t) > 0 {
			f.Code, err = p.code()
		}
	case SpanParams:
		f.D, err = p.span()
	case HoldParams, UntilParams:
		err = p.until()
	case EventParams:
		err = p.event()
	case ActionsParams:
		err = p.actions()
	case PointerParams:
		if len(p.t) > 0 {
			err = p.pointer()
		}
	case ApprovalParams:
		err = p.approval()
	case AnswerParams:
		err = p.answer()
	default:
		err = fmt.Errorf("the vocabulary has no reader for %q", p.kind.Params)
	}
	return err
}

func (p *paramParser) missing(what string) error {
	return fmt.Errorf("%s takes %s: %s is missing", p.kind.Key(), p.kind.Params, what)
}

func (p *paramParser) word(w string) bool {
	if len(p.t) > 0 && p.t[0].text == w {
		p.t = p.t[1:]
		return true
	}
	return false
}

func (p *paramParser) number(lo, hi int) (int, error) {
	if len(p.t) == 0 {
		return 0, p.missing("a number")
	}
	n, err := strconv.Atoi(p.t[0].text)
	if err != nil || n < lo || n > hi || p.t[0].text != strconv.Itoa(n) {
		return 0, p.t[0].errorf("%q is no number from %d to %d", p.t[0].text, lo, hi)
	}
	p.t = p.t[1:]
	return n, nil
}

// count is how many at once, or the status that the target answers.
func (p *paramParser) count() (int, error) {
	if p.kind.Name == "times" {
		return p.number(2, 16)
	}
	return p.status()
}

func (p *paramParser) status() (int, error) { return p.number(400, 599) }

func (p *paramParser) bytes() (int, error) { return p.number(0, 1<<20) }

func (p *paramParser) span() (Span, error) {
	if len(p.t) == 0 {
		return Span{}, p.missing("a duration")
	}
	s, err := ParseSpan(p.t[0].text)
	if err != nil {
		return s, p.t[0].errorf("%w", err)
	}
	p.t = p.t[1:]
	return s, nil
}

func (p *paramParser) event() error {
	if len(p.t) == 0 {
		return p.missing("EVENT")
	}
	w, rest, err := takeWhere(p.t)
	if err != nil {
		return err
	}
	p.f.Event, p.t = &w, rest
	return nil
}

// until reads what a hold waits for, and its bound where its form has one.
func (p *paramParser) until() error {
	if !p.word("until") {
		return p.missing("until")
	}
	err := p.event()
	if err == nil && p.kind.Params == HoldParams && p.word("or") {
		p.f.Or, err = p.span()
	}
	return err
}

var (
	actionName = regexp.MustCompile(`^[A-Z][A-Za-z0-9_]*$`)
	codeRE     = regexp.MustCompile(`^[A-Za-z0-9_.-]+$`)
)

func (p *paramParser) action() (string, error) {
	if len(p.t) == 0 {
		return "", p.missing("an action")
	}
	name := p.t[0].text
	if !actionName.MatchString(name) {
		return "", p.t[0].errorf("%q is no action: expected a name like A", name)
	}
	p.t = p.t[1:]
	return name, nil
}

func (p *paramParser) actions() error {
	for {
		if len(p.t) == 0 {
			return p.missing("an action")
		}
		comma := strings.HasSuffix(p.t[0].text, ",")
		p.t[0].text = strings.TrimSuffix(p.t[0].text, ",")
		name, err := p.action()
		if err != nil {
			return err
		}
		p.f.Actions = append(p.f.Actions, name)
		if !comma {
			return nil
		}
	}
}

func (p *paramParser) code() (string, error) {
	code := p.t[0].text
	if !codeRE.MatchString(code) {
		return "", p.t[0].errorf("%q is no error code", code)
	}
	p.t = p.t[1:]
	return code, nil
}

func (p *paramParser) approval() (err error) {
	if len(p.t) == 0 {
		return p.missing("its kind")
	}
	f := p.f
	f.Word = p.t[0].text
	switch f.Word {
	case "none", "stale", "denied", "spent":
		p.t = p.t[1:]
	case "of":
		p.t = p.t[1:]
		f.Of, err = p.action()
	default:
		err = p.t[0].errorf("%q is no kind of approval: expected none, stale, denied, spent or of ACTION", f.Word)
	}
	return err
}

func (p *paramParser) answer() error {
	if len(p.t) == 0 {
		return p.missing("the answer")
	}
	if !codeRE.MatchString(p.t[0].text) {
		return p.t[0].errorf("%q is no answer: expected one word", p.t[0].text)
	}
	p.f.Word, p.t = p.t[0].text, p.t[1:]
	return nil
}

func (p *paramParser) pointer() error {
	at := p.t[0]
	rest := p.body[at.at-1:]
	ptr, raw, ok := strings.Cut(rest, "=")
	if !ok || !strings.HasPrefix(ptr, "/") || strings.ContainsRune(ptr, ' ') {
		return at.errorf("%q is no change: expected POINTER=JSON, like /amount=1299", rest)
	}
	d := json.NewDecoder(bytes.NewReader([]byte(raw)))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil || d.More() {
		return token{raw, at.at + len(ptr) + 1}.errorf("%q is no JSON value", raw)
	}
	n, err := NormalValue(v)
	if err != nil {
		return token{raw, at.at + len(ptr) + 1}.errorf("%w", err)
	}
	p.f.Pointer, p.f.Value, p.t = ptr, n, nil
	return nil
}

// appendParams writes what run reads.
func (f *Fault) appendParams(b []byte, params Params) []byte {
	word := func(s string) { b = append(append(b, ' '), s...) }
	number := func() { b = strconv.AppendInt(append(b, ' '), int64(f.N), 10) }
	switch params {
	case CountParams, BytesParams:
		number()
	case HeadParams:
		if f.Head {
			word("head")
		}
		number()
	case StatusParams:
		number()
		if !f.RetryAfter.IsZero() {
			word("retry-after " + f.RetryAfter.String())
		}
	case CodeParams:
		number()
		if f.Code != "" {
			word(f.Code)
		}
	case SpanParams:
		word(f.D.String())
	case HoldParams, UntilParams:
		word("until " + f.Event.String())
		if !f.Or.IsZero() {
			word("or " + f.Or.String())
		}
	case EventParams:
		word(f.Event.String())
	case ActionsParams:
		word(strings.Join(f.Actions, ", "))
	case PointerParams:
		if f.Pointer != "" {
			v, _ := json.Marshal(f.Value)
			word(f.Pointer + "=" + string(v))
		}
	case ApprovalParams:
		word(f.Word)
		if f.Of != "" {
			word(f.Of)
		}
	case AnswerParams:
		word(f.Word)
	}
	return b
}
