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

func (p *paramParser) run() (err error) {
	f := p.f
	switch p.kind.Params {
	case NoParams:
	case CountParams:
		lo, hi := 2, 16
		if p.kind.Name != "times" {
			lo, hi = 400, 599
		}
		f.N, err = p.number(lo, hi)
	case BytesParams:
		f.N, err = p.number(0, 1<<20)
	case HeadParams:
		f.Head = p.word("head")
		f.N, err = p.number(0, 1<<20)
	case StatusParams:
		if f.N, err = p.number(400, 599); err == nil && p.word("retry-after") {
			f.RetryAfter, err = p.span()
		}
	case CodeParams:
		if f.N, err = p.number(400, 599); err == nil && len(p.t) > 0 {
			if !codeRE.MatchString(p.t[0].text) {
				return p.t[0].errorf("%q is no error code", p.t[0].text)
			}
			f.Code, p.t = p.t[0].text, p.t[1:]
		}
	case SpanParams:
		f.D, err = p.span()
	case HoldParams, UntilParams:
		if !p.word("until") {
			return p.missing("until")
		}
		if err = p.event(); err == nil && p.kind.Params == HoldParams && p.word("or") {
			f.Or, err = p.span()
		}
	case EventParams:
		err = p.event()
	case ActionsParams:
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
			f.Actions = append(f.Actions, name)
			if !comma {
				return nil
			}
		}
	case PointerParams:
		if len(p.t) == 0 {
			return nil
		}
		return p.pointer()
	case ApprovalParams:
		if len(p.t) == 0 {
			return p.missing("its kind")
		}
		f.Word = p.t[0].text
		switch f.Word {
		case "none", "stale", "denied", "spent":
			p.t = p.t[1:]
		case "of":
			p.t = p.t[1:]
			f.Of, err = p.action()
		default:
			return p.t[0].errorf("%q is no kind of approval: expected none, stale, denied, spent or of ACTION", f.Word)
		}
	case AnswerParams:
		if len(p.t) == 0 {
			return p.missing("the answer")
		}
		if !codeRE.MatchString(p.t[0].text) {
			return p.t[0].errorf("%q is no answer: expected one word", p.t[0].text)
		}
		f.Word, p.t = p.t[0].text, p.t[1:]
	default:
		return fmt.Errorf("the vocabulary has no reader for %q", p.kind.Params)
	}
	return err
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
