package targets

import (
	"cmp"
	"fmt"
	"net/http"
	"net/textproto"
	"net/url"
	"slices"
	"strings"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/targets/dnsform"
)

// operation is one call, made ready for reading and writing.
type operation struct {
	Operation
	name string
	// step: it is one of the profile's steps. commits are the parts that one request of
	// it makes, finds is the look-up that shows what it made.
	step    bool
	commits []string
	finds   string
	// segments of the path; "${id}" stands for any one.
	segments []string
	// fixed is a path without variables.
	fixed string
	// body and query are the templates' slots.
	body, query []slot
	isJSON      bool
	isXML       bool
	business    []field
	// argumentSlots are sorted by the argument's name.
	argumentSlots []argumentSlot
	// items lead to a list; all but the last lead to lists of what has one.
	items        []field
	id           field
	more, object field
	// tells are the constants that tell it from operations of its method and path.
	tells []slot
	// shows maps the form's name of a request's field to the object's field.
	shows map[string]field
	// rests are the steps whose IDs it carries; argued: it carries arguments.
	rests  []string
	argued bool
	// makers are what [Profile.Makers] returns.
	makers []string
	// shown are the arguments of the objects that it makes or shows, and reference is
	// where such an object has its own.
	shown     []argumentSlot
	reference *field
	// leaves are the fields by which a shown object tells that it was undone.
	leaves []leaf
	// inside holds all of the request.
	inside field
}

// argumentSlot is the field that carries an argument, in request and object alike.
type argumentSlot struct {
	name string
	at   field
	// set: a list whose order means nothing.
	set bool
}

// leaf is a field that an undone object has.
type leaf struct {
	at    field
	value string
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

// asShown returns where an object that the operation made tells arguments and
// reference.
func (o *operation) asShown(reference *field) ([]argumentSlot, *field) {
	if len(o.shows) == 0 {
		return o.argumentSlots, reference
	}
	out := slices.Clone(o.argumentSlots)
	for i, s := range out {
		if at, ok := o.shows[s.at.form]; ok {
			out[i].at = at
		}
	}
	if reference != nil {
		if at, ok := o.shows[reference.form]; ok {
			reference = &at
		}
	}
	return out, reference
}

func compileOperation(name string, doc Operation, dots bool) (*operation, []problem) {
	op := &operation{Operation: doc, name: name, isJSON: len(doc.JSON) > 0, isXML: len(doc.XML) > 0,
		commits: doc.parts(), finds: cmp.Or(doc.FoundBy, harness.FindOp)}
	if len(op.commits) == 0 {
		op.commits = wholeEffect
	}
	var bad []problem
	op.segments = splitPath(doc.Path)
	if !strings.Contains(doc.Path, "${") {
		op.fixed = "/" + strings.Join(op.segments, "/")
	}
	for _, s := range op.segments {
		if strings.Contains(s, "${") && !variable(s) {
			bad = append(bad, problem{[]any{"path"}, fmt.Errorf("%q is no segment: expected text, %s or ${OPERATION.id}", s, idSegment)})
		}
	}
	var wrong []problem
	op.body, wrong = parseSlots(doc.Form, parseExpr)
	bad = append(bad, under(wrong, "form")...)
	if op.isJSON {
		op.body, wrong = parseSlots(doc.JSON, parseExpr)
		bad = append(bad, under(wrong, "json")...)
	}
	if op.isXML {
		op.body, wrong = parseSlots(doc.XML, parseExpr)
		bad = append(bad, under(wrong, "xml")...)
	}
	op.query, wrong = parseSlots(doc.Query, parseQueryExpr)
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
	op.id, op.object = one(doc.ID, "id"), one(doc.Object, "object")
	if doc.Items != "" {
		for _, part := range strings.Split(doc.Items, "[].") {
			op.items = append(op.items, one(part, "items"))
		}
	}
	op.shows = make(map[string]field, len(doc.Shows))
	for from, to := range doc.Shows {
		op.shows[named(one(from, "shows", from), dots).form] = one(to, "shows", from)
	}
	op.inside = one(doc.Body, "body")
	if doc.Paging != nil {
		op.more = one(doc.Paging.More, "paging", "more")
	}
	op.rests = rests(op)
	op.argued = slices.ContainsFunc(slices.Concat(op.body, op.query), func(s slot) bool { return s.kind == argument })
	for _, slots := range [][]slot{op.body, op.query} {
		for i := range slots {
			slots[i].field = named(slots[i].field, dots)
			slots[i].escaped = url.QueryEscape(slots[i].form)
		}
	}
	for i, f := range op.business {
		op.business[i] = named(f, dots)
	}
	for i, s := range op.body {
		if s.kind == argument {
			set := doc.Accepts[s.steps[0]].Set && len(s.steps) == 1
			op.body[i].set = set
			op.argumentSlots = append(op.argumentSlots, argumentSlot{s.name, s.field, set})
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
		if variable(s) {
			n++
		}
	}
	return n
}

// hasBody reports whether the request's parameters stand in its body.
func (o *operation) hasBody() bool {
	return o.Method != http.MethodGet && o.Method != http.MethodDelete && o.Method != dnsform.MethodQuery
}

// matches reports whether the operation is meant, and the ID in the path.
func (o *operation) matches(method, path string) (id string, made map[string]string, ok bool) {
	if method != o.Method || !strings.HasPrefix(path, "/") {
		return "", nil, false
	}
	rest := path[1:]
	for i, want := range o.segments {
		part, after, more := strings.Cut(rest, "/")
		if more == (i == len(o.segments)-1) {
			return "", nil, false
		}
		switch {
		case want == part && !variable(want):
		case part == "" || !variable(want):
			return "", nil, false
		case want == idSegment:
			id = part
		default:
			made = put(made, madeRE.FindStringSubmatch(want)[1], part)
		}
		rest = after
	}
	return id, made, true
}

func (p *Profile) operation(name string) *operation {
	for _, o := range p.operations {
		if o.name == name {
			return o
		}
	}
	return nil
}

func splitPath(path string) []string { return strings.Split(strings.TrimPrefix(path, "/"), "/") }

// variable reports whether a segment stands for any one.
func variable(segment string) bool { return segment == idSegment || madeRE.MatchString(segment) }

// put sets an entry of a map that may not be there yet.
func put(m map[string]string, key, value string) map[string]string {
	if m == nil {
		m = map[string]string{}
	}
	m[key] = value
	return m
}

// rests lists the steps whose IDs the operation carries in path, body and query.
func rests(op *operation) []string {
	var out []string
	for _, s := range op.segments {
		if m := madeRE.FindStringSubmatch(s); m != nil {
			out = append(out, m[1])
		}
	}
	for _, s := range slices.Concat(op.body, op.query) {
		if s.kind == madeID {
			out = append(out, s.expr.name)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
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
