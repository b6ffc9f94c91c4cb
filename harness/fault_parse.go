package harness

import (
	"errors"
	"fmt"
	"strings"
)

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
	names := strings.Join(kindNames(point, w.Side), ", ")
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
