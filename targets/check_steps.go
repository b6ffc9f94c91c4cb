package targets

import (
	"fmt"
	"maps"
	"slices"

	"github.com/retrydrill/drill/harness"
)

// steps holds parts, undoes, look-ups and notices against each other.
func (c *checker) steps(d *Document) {
	for i, part := range d.Parts {
		c.need(slices.Index(d.Parts, part) == i, fmt.Sprintf("part %q is listed twice", part), "parts", i)
		c.need(slices.ContainsFunc(slices.Collect(maps.Values(d.Operations)), func(o Operation) bool {
			return slices.Contains(o.parts(), part)
		}), fmt.Sprintf("no operation makes part %q", part), "parts", i)
	}
	_, create := d.Operations[harness.CreateOp]
	c.need(create || len(d.Parts) > 0 || len(d.Operations) == 0, "without parts the effect is made by an operation create, and there is none", "operations")
	for name, op := range d.Operations {
		c.part(d, name, op)
		c.undo(d, name, op)
	}
	for name := range d.Events.Of {
		c.need(d.Operations[name].Changes, fmt.Sprintf("%q is no operation that changes something", name), "events", name)
	}
}

func (c *checker) part(d *Document, name string, op Operation) {
	at := func(keys ...any) []any { return append([]any{"operations", name}, keys...) }
	c.need(op.Part == "" || len(op.Makes) == 0, "an operation has part or makes, not both", at("makes")...)
	c.need(len(op.parts()) == 0 || op.Changes, "an operation that makes a part changes something", at("changes")...)
	if op.Part != "" {
		c.word(op.Part, d.Parts, append(at(), "part")...)
	}
	for i, part := range op.Makes {
		c.word(part, d.Parts, at("makes", i)...)
	}
	if op.FoundBy != "" {
		by, known := d.Operations[op.FoundBy]
		c.need(known && !by.Changes, fmt.Sprintf("%q is no operation that reads", op.FoundBy), at("found_by")...)
	}
	for where, fields := range map[string]map[string]string{"form": op.Form, "json": op.JSON, "xml": op.XML, "query": op.Query} {
		for field, template := range fields {
			if e, err := parseExpr(template); err == nil && e.kind == madeID {
				maker, known := d.Operations[e.name]
				c.need(known && e.name != name && maker.Changes, fmt.Sprintf("%q is no other operation that makes something", e.name), at(where, field)...)
			}
		}
	}
}

func (c *checker) undo(d *Document, name string, op Operation) {
	at := func(keys ...any) []any { return append([]any{"operations", name}, keys...) }
	c.need(op.Undoes != "" || len(op.Leaves) == 0, "leaves says what an undo leaves: undoes is missing", at("leaves")...)
	if op.Undoes == "" {
		return
	}
	undone, known := d.Operations[op.Undoes]
	c.need(known && undone.Changes && undone.Undoes == "", fmt.Sprintf("%q is no operation that makes something", op.Undoes), at("undoes")...)
	c.need(op.Changes, "an undo changes something", at("changes")...)
	c.need(len(op.parts()) == 0, "an undo makes no part: it takes back those of what it undoes", at("part")...)
	c.need(slices.Contains(splitPath(op.Path), idSegment), "what is undone stands in the path as "+idSegment, at("path")...)
	for field := range op.Leaves {
		if _, err := parseField(field); err != nil {
			c.add(err, at("leaves", field)...)
		}
	}
}
