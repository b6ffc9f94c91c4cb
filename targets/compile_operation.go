package targets

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/retrydrill/drill/harness"
)

// compileOperation makes one call ready. Its paths of keys begin at the operation.
func compileOperation(name string, doc Operation, dots bool) (*operation, []problem) {
	op := &operation{Operation: doc, name: name, isJSON: len(doc.JSON) > 0, isXML: len(doc.XML) > 0,
		commits: doc.parts(), finds: cmp.Or(doc.FoundBy, harness.FindOp)}
	if len(op.commits) == 0 {
		op.commits = wholeEffect
	}
	c := compiler{dots: dots}
	c.path(op)
	c.templates(op)
	c.answer(op)
	c.business(op)
	c.arguments(op)
	op.rests = rests(op)
	return op, c.bad
}

func (c *compiler) path(op *operation) {
	op.segments = splitPath(op.Path)
	if !strings.Contains(op.Path, "${") {
		op.fixed = "/" + strings.Join(op.segments, "/")
	}
	for _, s := range op.segments {
		if strings.Contains(s, "${") && !variable(s) {
			c.bad.add(fmt.Errorf("%q is no segment: expected text, %s or ${OPERATION.id}", s, idSegment), "path")
		}
	}
}

// templates reads what the request carries, in its body and its query.
func (c *compiler) templates(op *operation) {
	op.body = c.slots("form", op.Form, parseExpr)
	if op.isJSON {
		op.body = c.slots("json", op.JSON, parseExpr)
	}
	if op.isXML {
		op.body = c.slots("xml", op.XML, parseExpr)
	}
	op.query = c.slots("query", op.Query, parseQueryExpr)
	op.inside = c.optional(op.Body, "body")
}

// slots reads the templates of one kind. Their order is that of their names in brackets,
// however the form spells them.
func (c *compiler) slots(kind string, templates map[string]string, parse func(string) (expr, error)) []slot {
	out, bad := parseSlots(templates, parse)
	c.bad = append(c.bad, under(bad, kind)...)
	for i := range out {
		out[i].field = named(out[i].field, c.dots)
		out[i].escaped = url.QueryEscape(out[i].form)
	}
	return out
}

// answer reads where the answer has the objects, and what they tell.
func (c *compiler) answer(op *operation) {
	op.id, op.object = c.optional(op.ID, "id"), c.optional(op.Object, "object")
	if op.Items != "" {
		for _, part := range strings.Split(op.Items, "[].") {
			op.items = append(op.items, c.optional(part, "items"))
		}
	}
	if op.Paging != nil {
		op.more = c.optional(op.Paging.More, "paging", "more")
	}
	op.shows = make(map[string]field, len(op.Shows))
	for from, to := range op.Shows {
		op.shows[named(c.optional(from, "shows", from), c.dots).form] = c.optional(to, "shows", from)
	}
}

// business reads the fields that may hold the business key. Where none is named, it is
// the first that the request fills with it.
func (c *compiler) business(op *operation) {
	for i, s := range op.BusinessKey {
		op.business = append(op.business, named(c.optional(s, "business_key", i), c.dots))
	}
	for _, s := range slices.Concat(op.body, op.query) {
		if s.kind == businessKey && len(op.business) == 0 {
			op.business = append(op.business, s.field)
		}
	}
}

// arguments finds the fields that carry the arguments. A body is read back into them,
// so that each has one.
func (c *compiler) arguments(op *operation) {
	op.argued = slices.ContainsFunc(slices.Concat(op.body, op.query), func(s slot) bool { return s.kind == argument })
	for i, s := range op.body {
		if s.kind == argument {
			set := op.Accepts[s.steps[0]].Set && len(s.steps) == 1
			op.body[i].set = set
			op.argumentSlots = append(op.argumentSlots, argumentSlot{s.name, s.field, set})
		}
	}
	slices.SortFunc(op.argumentSlots, func(a, b argumentSlot) int { return strings.Compare(a.name, b.name) })
	for i := 1; i < len(op.argumentSlots); i++ {
		if name := op.argumentSlots[i].name; name == op.argumentSlots[i-1].name {
			c.bad.add(fmt.Errorf("argument %q stands in two fields", name), "form")
		}
	}
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
