package targets

import (
	"cmp"
	"fmt"
	"net/http"
	"net/textproto"
	"slices"
	"strings"
)

// operation is one call, made ready for reading and writing.
type operation struct {
	Operation
	name string
	// segments of the path; "${id}" stands for any one.
	segments []string
	// body and query are the templates' slots.
	body, query []slot
	isJSON      bool
	business    []field
	// argumentSlots are sorted by the argument's name.
	argumentSlots []argumentSlot
	items, id     field
	more, object  field
}

// argumentSlot is the field that carries an argument, in request and object alike.
type argumentSlot struct {
	name string
	at   field
}

const idSegment = "${id}"

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
	if p.Reference != "" {
		f := one(p.Reference, "reference")
		p.reference = &f
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
		op, wrong := compileOperation(name, doc)
		bad = append(bad, under(wrong, "operations", name)...)
		p.operations = append(p.operations, op)
		if name == "create" {
			p.arguments = op.argumentSlots
		}
	}
	// Paths with fewer variables are tried first.
	slices.SortFunc(p.operations, func(a, b *operation) int {
		return cmp.Or(cmp.Compare(a.variables(), b.variables()), cmp.Compare(a.name, b.name))
	})
	slices.SortStableFunc(bad, func(a, b problem) int { return strings.Compare(fmt.Sprint(a.path), fmt.Sprint(b.path)) })
	p.promises = p.promise()
	return bad
}

func compileOperation(name string, doc Operation) (*operation, []problem) {
	op := &operation{Operation: doc, name: name, isJSON: len(doc.JSON) > 0}
	var bad []problem
	op.segments = strings.Split(strings.TrimPrefix(doc.Path, "/"), "/")
	for _, s := range op.segments {
		if strings.Contains(s, "${") && s != idSegment {
			bad = append(bad, problem{[]any{"path"}, fmt.Errorf("%q is no segment: expected text or %s", s, idSegment)})
		}
	}
	var wrong []problem
	op.body, wrong = parseSlots(doc.Form)
	bad = append(bad, under(wrong, "form")...)
	if op.isJSON {
		op.body, wrong = parseSlots(doc.JSON)
		bad = append(bad, under(wrong, "json")...)
	}
	op.query, wrong = parseSlots(doc.Query)
	bad = append(bad, under(wrong, "query")...)
	one := func(s string, path ...any) field {
		if s == "" {
			return field{}
		}
		f, err := parseField(s)
		if err != nil {
			bad = append(bad, problem{path, err})
		}
		return f
	}
	for i, s := range doc.BusinessKey {
		op.business = append(op.business, one(s, "business_key", i))
	}
	op.items, op.id, op.object = one(doc.Items, "items"), one(doc.ID, "id"), one(doc.Object, "object")
	if doc.Paging != nil {
		op.more = one(doc.Paging.More, "paging", "more")
	}
	for _, s := range op.body {
		if s.kind == argument {
			op.argumentSlots = append(op.argumentSlots, argumentSlot{s.name, s.field})
		}
		if s.kind == businessKey && len(op.business) == 0 {
			op.business = append(op.business, s.field)
		}
	}
	for _, s := range op.query {
		if s.kind == businessKey && len(op.business) == 0 {
			op.business = append(op.business, s.field)
		}
	}
	slices.SortFunc(op.argumentSlots, func(a, b argumentSlot) int { return strings.Compare(a.name, b.name) })
	for i := 1; i < len(op.argumentSlots); i++ {
		if op.argumentSlots[i].name == op.argumentSlots[i-1].name {
			bad = append(bad, problem{[]any{"form"}, fmt.Errorf("argument %q stands in two fields", op.argumentSlots[i].name)})
		}
	}
	return op, bad
}

func (o *operation) variables() (n int) {
	for _, s := range o.segments {
		if s == idSegment {
			n++
		}
	}
	return n
}

// hasBody reports whether the request's parameters stand in its body.
func (o *operation) hasBody() bool {
	return o.Method != http.MethodGet && o.Method != http.MethodDelete
}

// matches reports whether the operation is meant, and the ID in the path.
func (o *operation) matches(method, path string) (id string, ok bool) {
	if method != o.Method || !strings.HasPrefix(path, "/") {
		return "", false
	}
	rest := path[1:]
	for i, want := range o.segments {
		part, after, more := strings.Cut(rest, "/")
		if more == (i == len(o.segments)-1) {
			return "", false
		}
		switch {
		case want == idSegment && part != "":
			id = part
		case want != part:
			return "", false
		}
		rest = after
	}
	return id, true
}

// route finds the operation of a request.
func (p *Profile) route(method, path string) (op *operation, id string) {
	for _, o := range p.operations {
		if id, ok := o.matches(method, path); ok {
			return o, id
		}
	}
	return nil, ""
}

func (p *Profile) operation(name string) *operation {
	for _, o := range p.operations {
		if o.name == name {
			return o
		}
	}
	return nil
}
