package harness

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Fault is one line of a schedule: WHERE WHAT.
type Fault struct {
	Where Where
	// Name is the word of the vocabulary.
	Name string
	// N is a count, a status, or a number of bytes.
	N int
	// Head: N counts bytes of the head (truncate).
	Head bool
	// D is the fault's own span.
	D Span
	// RetryAfter goes with a status.
	RetryAfter Span
	// Event is what at and hold wait for.
	Event *Where
	// Or bounds a hold.
	Or Span
	// Code is the target's error code.
	Code string
	// Actions are what a delivery brings.
	Actions []string
	// Pointer and Value say what changes (RFC 6901, JSON).
	Pointer string
	Value   any
	// Word is an approval's kind or an answer.
	Word string
	// Of is the action whose approval is carried.
	Of string
	// Optional: the line may stay unfired.
	Optional bool

	// spelling and key are what String and Key return, where they were asked before.
	spelling, key string
}

// ParseError is returned when a fault does not parse. Column counts from 1.
type ParseError struct {
	Text   string
	Column int
	Reason string
}

// Error shows the line, a caret under the place, and the reason.
func (e *ParseError) Error() string {
	return fmt.Sprintf("fault %q, column %d: %s\n  %s\n  %s^", e.Text, e.Column, e.Reason, e.Text, strings.Repeat(" ", max(0, e.Column-1)))
}

type token struct {
	text string
	at   int
}

type tokenError struct {
	at  int
	err error
}

func (e *tokenError) Error() string { return e.err.Error() }
func (e *tokenError) Unwrap() error { return e.err }

func (t token) errorf(format string, a ...any) error {
	return &tokenError{at: t.at, err: fmt.Errorf(format, a...)}
}

func tokenize(s string) []token {
	var out []token
	for i := 0; i < len(s); {
		if s[i] == ' ' {
			i++
			continue
		}
		j := i
		for j < len(s) && s[j] != ' ' {
			j++
		}
		out = append(out, token{s[i:j], i + 1})
		i = j
	}
	return out
}

// takeWhere reads a place and, where it is an operation, an optional side.
func takeWhere(t []token) (Where, []token, error) {
	w, err := parsePlace(t[0].text)
	if err != nil {
		return w, t, t[0].errorf("%w", err)
	}
	t = t[1:]
	if len(t) > 0 {
		switch s := Side(t[0].text); s {
		case Request, Target, Response:
			if !w.IsOperation() {
				return w, t, t[0].errorf("%s has no %s side", w.Point, s)
			}
			w.Side, t = s, t[1:]
		}
	}
	return w, t, nil
}

// ParseFault reads one line. The error is a [*ParseError].
func ParseFault(s string) (Fault, error) {
	f, err := parseFault(s)
	if err != nil {
		pe := &ParseError{Text: s, Column: len(s) + 1, Reason: err.Error()}
		if te := (*tokenError)(nil); errors.As(err, &te) {
			pe.Column = te.at
		}
		return Fault{}, pe
	}
	return f, nil
}

func parseFault(s string) (Fault, error) {
	var f Fault
	if i := strings.IndexFunc(s, func(r rune) bool { return r < ' ' || r > '~' }); i >= 0 {
		return f, token{s, i + 1}.errorf("a fault is one line of printable ASCII")
	}
	body := strings.TrimRight(s, " ")
	if strings.HasSuffix(body, "?") {
		f.Optional, body = true, body[:len(body)-1]
	}
	t := tokenize(body)
	if len(t) == 0 {
		return f, errors.New("nothing is written: expected WHERE WHAT, like create#1 response reset")
	}
	w, t, err := takeWhere(t)
	if err != nil {
		return f, err
	}
	f.Where = w
	point := w.Point
	if w.IsOperation() {
		point = operationsPoint
		if w.Side == "" {
			if len(t) == 0 {
				return f, fmt.Errorf("%s needs a side: request, target or response", w)
			}
			return f, t[0].errorf("%q is no side of an operation: expected request, target or response", t[0].text)
		}
	}
	names := strings.Join(KindNames(point, w.Side), ", ")
	if len(t) == 0 {
		return f, fmt.Errorf("what happens at %s is missing: expected one of %s", w, names)
	}
	k, ok := kindAt(point, w.Side, t[0].text)
	if !ok {
		return f, t[0].errorf("%q is no fault at %s: expected one of %s", t[0].text, w, names)
	}
	f.Name = k.Name
	if w.Worker != 0 && w.Point == Deliver {
		return f, t[0].errorf("deliver counts over the whole trial: @w%d is not meant here", w.Worker)
	}
	p := paramParser{f: &f, body: body, t: t[1:], kind: k}
	if err := p.run(); err != nil {
		return f, err
	}
	if len(p.t) > 0 {
		return f, p.t[0].errorf("%q is too much after %s %s", p.t[0].text, w, f.Name)
	}
	return f, nil
}

type paramParser struct {
	f    *Fault
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

// Spelled returns the fault with its text beside it, for whoever tells of it often. A
// field that is changed afterwards does not show in the text.
func (f Fault) Spelled() Fault {
	f.Spell()
	return f
}

// Spell is Spelled in place.
func (f *Fault) Spell() { f.SpellLike("") }

// Spelling is the text that Spell put beside the fault; empty where nobody asked.
func (f *Fault) Spelling() string { return f.spelling }

// SpellLike is Spell by whoever has a text that is likely to be the fault's, which then
// is not made once more.
func (f *Fault) SpellLike(text string) {
	w := f.word()
	if f.spelling == "" {
		var room [96]byte
		if b := f.appendAs(w, room[:0]); string(b) == text {
			f.spelling = text
		} else {
			f.spelling = string(b)
		}
	}
	f.key = w.key
}

// String prints the fault so that [ParseFault] reads it back.
func (f Fault) String() string { return f.Line() }

// Line is String without a copy of the fault, which is large.
func (f *Fault) Line() string {
	if f.spelling != "" {
		return f.spelling
	}
	var room [96]byte
	return string(f.append(room[:0]))
}

// Reads reports whether a line is this fault as [Fault.String] writes it.
func (f *Fault) Reads(line string) bool {
	var room [96]byte
	return string(f.append(room[:0])) == line
}

func (f *Fault) append(b []byte) []byte { return f.appendAs(f.word(), b) }

// appendAs is append for the fault's word of the vocabulary.
func (f *Fault) appendAs(w *word, b []byte) []byte {
	b = append(append(f.Where.append(b), ' '), f.Name...)
	if params := w.kind.Params; params != NoParams {
		b = f.appendParams(b, params)
	}
	if f.Optional {
		b = append(b, '?')
	}
	return b
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

// Kind returns the fault's word of the vocabulary.
func (f Fault) Kind() FaultKind { return f.word().kind }

// word is that of the vocabulary.
func (f *Fault) word() *word {
	point := f.Where.Point
	if f.Where.IsOperation() {
		point = operationsPoint
	}
	return wordAt(point, f.Where.Side, f.Name)
}

// Key is the word of the vocabulary that the fault is, as [FaultKind.Key] names it.
func (f Fault) Key() string {
	return f.WordKey()
}

// WordKey is Key without a copy of the fault.
func (f *Fault) WordKey() string {
	if f.key != "" {
		return f.key
	}
	return f.word().key
}

// Params returns the form of the fault's parameters.
func (f Fault) Params() Params { return f.Kind().Params }

// Is reports whether the fault is the word key of the vocabulary ("response close").
func (f Fault) Is(key string) bool { return f.Key() == key }

// MarshalText and UnmarshalText make a fault one string in YAML and JSON.
func (f Fault) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (f *Fault) UnmarshalText(b []byte) error {
	v, err := ParseFault(string(b))
	*f = v
	return err
}
