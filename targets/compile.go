package targets

import (
	"cmp"
	"fmt"
	"net/textproto"
	"slices"
	"strings"
)

// compile turns the document's texts into fields and templates.
func (p *Profile) compile() []problem {
	var bad []problem
	one := func(s string, path ...any) field {
		f, err := parseField(s)
		if err != nil {
			bad = append(bad, problem{path, err})
		}
		return f
	}
	dots := p.FormNames == "dots"
	if p.Reference != "" {
		f := named(one(p.Reference, "reference"), dots)
		p.reference = &f
	}
	if b := p.Document.Idempotency.Key.Body; b != "" {
		p.keyField = named(one(b, "idempotency", "key", "body"), dots)
	}
	for i, s := range p.ErrorBody.Code {
		p.errorCode = append(p.errorCode, one(s, "error_body", "code", i))
	}
	for name, template := range p.ErrorBody.Fields {
		f := one(name, "error_body", "fields", name)
		switch {
		case slices.Contains(errorVariables, template), !strings.Contains(template, "${"):
			p.errorBody = append(p.errorBody, errorField{f, template})
		default:
			bad = append(bad, problem{[]any{"error_body", "fields", name},
				fmt.Errorf("%q is no template: expected a constant, %s", template, strings.Join(errorVariables, ", "))})
		}
	}
	slices.SortFunc(p.errorBody, func(a, b errorField) int { return strings.Compare(a.at.form, b.at.form) })
	for name, value := range p.Idempotency.ReplayHeader {
		p.marker = [2]string{textproto.CanonicalMIMEHeaderKey(name), value}
	}
	if k := &p.Document.Idempotency.Key; k.Header != "" {
		k.Header = textproto.CanonicalMIMEHeaderKey(k.Header)
	}
	for name, doc := range p.Operations {
		op, wrong := compileOperation(name, doc, dots)
		bad = append(bad, under(wrong, "operations", name)...)
		p.operations = append(p.operations, op)
	}
	// Paths with fewer variables are tried first.
	slices.SortFunc(p.operations, func(a, b *operation) int {
		return cmp.Or(cmp.Compare(a.variables(), b.variables()), cmp.Compare(a.name, b.name))
	})
	// A write without fields of its own is of the kind that the others are.
	json := slices.ContainsFunc(p.operations, func(o *operation) bool { return o.isJSON })
	for _, op := range p.operations {
		op.isJSON = op.isJSON || (json && len(op.body) == 0 && !op.isXML && op.hasBody())
	}
	bad = append(bad, p.tellApart()...)
	p.steps = p.findSteps()
	for _, op := range p.operations {
		op.step = slices.Contains(p.steps, op.name)
	}
	p.requestID = textproto.CanonicalMIMEHeaderKey(p.RequestID)
	p.link()
	p.argumentNames = p.namesOfArguments()
	p.normal = p.normalForm()
	p.promises = p.promise()
	return bad
}

// link gives each operation the arguments of what it shows, and how an object tells
// that it was undone.
func (p *Profile) link() {
	if first := p.operation(p.steps[0]); first != nil {
		p.arguments = first.argumentSlots
	}
	for _, op := range p.operations {
		op.reference = p.reference
		op.makers = p.findMakers(op.name)
		for _, maker := range p.Makers(op.name) {
			if m := p.operation(maker); m != nil && op.shown == nil {
				op.shown, op.reference = m.asShown(p.reference)
				op.leaves = p.leaves(p.UndoOf(maker))
			}
		}
	}
}

func (p *Profile) leaves(undo string) []leaf {
	var out []leaf
	for name, value := range p.Operations[undo].Leaves {
		// What does not parse was told by check.
		if f, err := parseField(name); err == nil {
			out = append(out, leaf{f, value})
		}
	}
	return out
}
