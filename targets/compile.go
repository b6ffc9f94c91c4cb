package targets

import (
	"cmp"
	"fmt"
	"net/textproto"
	"slices"
	"strings"
)

// compiler reads the texts of a document, and notes those that do not parse.
type compiler struct {
	bad checker
	// dots: a form names a field of a field a.b.
	dots bool
}

func (c *compiler) field(s string, path ...any) field {
	f, err := parseField(s)
	if err != nil {
		c.bad.add(err, path...)
	}
	return f
}

// optional is field of a text that may be empty.
func (c *compiler) optional(s string, path ...any) field {
	if s == "" {
		return field{}
	}
	return c.field(s, path...)
}

// compile turns the document's texts into fields and templates.
func (p *Profile) compile() []problem {
	c := &compiler{dots: p.FormNames == "dots"}
	c.marks(p)
	c.errorBody(p)
	c.operations(p)
	p.link()
	p.argumentNames = p.namesOfArguments()
	p.normal = p.normalForm()
	p.promises = p.promise()
	return c.bad
}

// marks reads where key and reference stand, and the headers as net/http spells them.
func (c *compiler) marks(p *Profile) {
	if p.Reference != "" {
		f := named(c.field(p.Reference, "reference"), c.dots)
		p.reference = &f
	}
	if b := p.Document.Idempotency.Key.Body; b != "" {
		p.keyField = named(c.field(b, "idempotency", "key", "body"), c.dots)
	}
	if k := &p.Document.Idempotency.Key; k.Header != "" {
		k.Header = textproto.CanonicalMIMEHeaderKey(k.Header)
	}
	for name, value := range p.Idempotency.ReplayHeader {
		p.marker = [2]string{textproto.CanonicalMIMEHeaderKey(name), value}
	}
	p.requestID = textproto.CanonicalMIMEHeaderKey(p.RequestID)
}

// errorBody reads what an error answer is made of, in the order of its names.
func (c *compiler) errorBody(p *Profile) {
	for i, s := range p.ErrorBody.Code {
		p.errorCode = append(p.errorCode, c.field(s, "error_body", "code", i))
	}
	for name, template := range p.ErrorBody.Fields {
		f := c.field(name, "error_body", "fields", name)
		switch {
		case slices.Contains(errorVariables, template), !strings.Contains(template, "${"):
			p.errorBody = append(p.errorBody, errorField{f, template})
		default:
			c.bad.add(fmt.Errorf("%q is no template: expected a constant, %s", template, strings.Join(errorVariables, ", ")),
				"error_body", "fields", name)
		}
	}
	slices.SortFunc(p.errorBody, func(a, b errorField) int { return strings.Compare(a.at.form, b.at.form) })
}

// operations compiles each operation, and what hangs on the others that there are.
func (c *compiler) operations(p *Profile) {
	for name, doc := range p.Operations {
		op, bad := compileOperation(name, doc, c.dots)
		c.bad = append(c.bad, under(bad, "operations", name)...)
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
	c.bad = append(c.bad, p.tellApart()...)
	p.steps = p.findSteps()
	for _, op := range p.operations {
		op.step = slices.Contains(p.steps, op.name)
	}
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
