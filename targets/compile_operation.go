package targets

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/retrydrill/drill/harness"
)

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
