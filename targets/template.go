package targets

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// expr is the right side of a template: a constant or one whole variable. Only a
// query's variable may stand in a text, since an object's field is read back whole.
type expr struct {
	kind exprKind
	// name is the argument's or the step's name, or the constant's text.
	name string
	// before and after are the text around a variable.
	before, after string
}

// inner returns what the variable was, of a whole text.
func (e expr) inner(text string) (string, bool) {
	v, before := strings.CutPrefix(text, e.before)
	v, after := strings.CutSuffix(v, e.after)
	return v, before && after
}

type exprKind int

const (
	constant exprKind = iota
	argument
	actionID
	businessKey
	idempotencyKey
	madeID
)

// madeRE is the ID that an earlier step returned; the name is the step's.
var madeRE = regexp.MustCompile(`^\$\{([a-z][a-z0-9_.-]*)\.id\}$`)

var argumentRE = regexp.MustCompile(`^\$\{arguments\.([A-Za-z_][A-Za-z0-9_]*)\}$`)

func parseExpr(s string) (expr, error) {
	switch s {
	case "${action_id}":
		return expr{kind: actionID}, nil
	case "${business_key}":
		return expr{kind: businessKey}, nil
	case "${key}":
		return expr{kind: idempotencyKey}, nil
	}
	if m := argumentRE.FindStringSubmatch(s); m != nil {
		return expr{kind: argument, name: m[1]}, nil
	}
	if m := madeRE.FindStringSubmatch(s); m != nil {
		return expr{kind: madeID, name: m[1]}, nil
	}
	if strings.Contains(s, "${") {
		return expr{}, fmt.Errorf("%q is no template: expected a constant, ${arguments.NAME}, ${action_id}, ${business_key}, ${key} or ${OPERATION.id}, and nothing beside it", s)
	}
	return expr{kind: constant, name: s}, nil
}

var variableRE = regexp.MustCompile(`\$\{[^{}]*\}`)

// parseQueryExpr reads a template in which one variable may stand in a text.
func parseQueryExpr(s string) (expr, error) {
	at := variableRE.FindAllStringIndex(s, -1)
	if len(at) != 1 {
		return parseExpr(s)
	}
	e, err := parseExpr(s[at[0][0]:at[0][1]])
	e.before, e.after = s[:at[0][0]], s[at[0][1]:]
	return e, err
}

// slot is one field of a request and what fills it.
type slot struct {
	field
	expr
	// set: the argument is a list whose order means nothing.
	set bool
	// escaped is the name as a form spells it.
	escaped string
}

// slots are sorted by the field's name, so that a request is always the same bytes.
func parseSlots(template map[string]string, parse func(string) (expr, error)) ([]slot, []problem) {
	var out []slot
	var bad []problem
	for name, value := range template {
		f, err := parseField(name)
		if err != nil {
			bad = append(bad, problem{[]any{name}, err})
			continue
		}
		e, err := parse(value)
		if err != nil {
			bad = append(bad, problem{[]any{name}, err})
			continue
		}
		out = append(out, slot{field: f, expr: e})
	}
	slices.SortFunc(out, func(a, b slot) int { return strings.Compare(a.form, b.form) })
	return out, bad
}

// value fills a slot; what comes out empty is left out.
func (s *slot) value(w *Write) (any, bool) {
	if s.kind == argument {
		v, ok := w.Arguments[s.expr.name]
		if s.set {
			v = sorted(v)
		}
		return v, ok
	}
	return s.text(w)
}

// text fills a slot that holds no argument.
func (s *slot) text(w *Write) (string, bool) {
	text := ""
	switch s.kind {
	case actionID:
		text = w.ActionID
	case madeID:
		text = w.Made[s.expr.name]
	case businessKey:
		text = w.BusinessKey
	case idempotencyKey:
		text = w.Key
	default:
		return s.expr.name, true
	}
	if s.before == "" && s.after == "" {
		return text, text != ""
	}
	return s.before + text + s.after, text != ""
}
