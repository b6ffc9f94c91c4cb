package targets

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/retrydrill/drill/harness"
)

// check finds what the schema can not: rules that contradict each other, and values
// that go beyond their type. Words, types and what is missing are the schema's.
func check(d *Document) []problem {
	var bad checker
	bad.idempotency(d.Idempotency)
	bad.duration(d.Idempotency.Retention, "idempotency", "retention")
	bad.duration(d.Lookup.Lag, "lookup", "lag")
	bad.duration(d.Lookup.MaxInFlight, "lookup", "max_in_flight")
	for name, op := range d.Operations {
		bad.operation(name, op)
		bad.method(name, op, d)
	}
	bad.lookup(d)
	bad.steps(d)
	bad.need((d.Fake.Domain == "zone") == (d.Fake.Zone != ""), "a zone belongs to the domain zone, and it to a zone", "fake", "zone")
	bad.example(d.Example)
	return bad
}

type checker []problem

func (c *checker) add(err error, path ...any) { *c = append(*c, problem{path, err}) }

func (c *checker) need(ok bool, rule string, path ...any) {
	if !ok {
		c.add(errors.New(rule), path...)
	}
}

func (c *checker) word(s string, known []string, path ...any) {
	if !slices.Contains(known, s) {
		c.add(fmt.Errorf("%q is not known here: expected one of %s", s, strings.Join(known, ", ")), path...)
	}
}

func (c *checker) duration(s string, path ...any) {
	if _, err := duration(s); err != nil {
		c.add(err, path...)
	}
}

// duration reads a text that may be empty.
func duration(s string) (d harness.Duration, err error) {
	if s != "" {
		err = d.UnmarshalText([]byte(s))
	}
	return d, err
}

// lookup wants the operations that what the profile promises needs.
func (c *checker) lookup(d *Document) {
	for i, by := range d.Lookup.By {
		_, find := d.Operations[harness.FindOp]
		_, get := d.Operations[harness.GetOp]
		c.need(find || by == "id" && get, "a look-up by "+by+" needs an operation find", "lookup", "by", i)
	}
}

func (c *checker) example(e Example) {
	for name, v := range e.Arguments {
		if _, err := harness.NewArguments(map[string]any{name: v}); err != nil {
			c.add(err, "example", "arguments", name)
			return
		}
	}
	args, err := harness.NewArguments(e.Arguments)
	if err != nil {
		c.add(err, "example", "arguments")
		return
	}
	for pointer, v := range e.Changed {
		if _, err := args.Set(pointer, v); err != nil {
			c.add(err, "example", "changed", pointer)
		}
	}
	for pointer, v := range e.Whole {
		if _, err := args.Set(pointer, v); err != nil {
			c.add(err, "example", "whole", pointer)
		}
	}
}

func (c *checker) idempotency(i Idempotency) {
	const at = "idempotency"
	c.need(i.Key.Header == "" || i.Key.Body == "", "a key stands in a header or in a body field, not in both", at, "key")
	c.need(!i.Key.Quoted || i.Key.Header != "", "a quoted key stands in a header", at, "key", "quoted")
	c.need(!i.Echo || i.Key.Header != "", "a key that is echoed stands in a header", at, "echo")
}

func (c *checker) operation(name string, op Operation) {
	at := func(keys ...any) []any { return append([]any{"operations", name}, keys...) }
	bodies := 0
	for _, template := range []map[string]string{op.Form, op.JSON, op.XML} {
		if len(template) > 0 {
			bodies++
		}
	}
	c.need(bodies <= 1, "a body is one of form, json and xml", at()...)
	c.need(op.Body == "" || len(op.JSON) > 0, "a body's field is one of json", at("body")...)
	for param, p := range op.Accepts {
		c.need(!p.Set || p.Type == "list", "a set is a list", at("accepts", param, "set")...)
		c.need(p.Units == nil || p.Type == "integer", "an amount in units is an integer", at("accepts", param, "units")...)
		if p.Units != nil {
			_, there := op.Accepts[p.Units.Currency]
			c.need(there, "the currency is a parameter", at("accepts", param, "units", "currency")...)
		}
	}
	if op.IDs == "client" {
		c.need(strings.Contains(op.Path, idSegment), "an ID that the client chooses stands in the path as "+idSegment, at("path")...)
	}
	c.need(op.Unique == "" || op.Exists.Status != 0, "unique needs exists: the answer to one that is taken", at("unique")...)
	if op.Async != nil {
		c.duration(op.Async.After, at("async", "after")...)
	}
	if pg := op.Paging; pg != nil {
		c.need(op.Items != "", "paging needs items", at("paging")...)
		c.need((pg.Cursor != "") != (pg.Number != ""), "paging needs cursor or number, and not both", at("paging")...)
	}
	for i, param := range op.ExactlyOne {
		_, ok := op.Accepts[param]
		c.need(ok, fmt.Sprintf("%q is not among accepts", param), at("exactly_one", i)...)
	}
}

// method wants one that the profile's protocol has.
func (c *checker) method(name string, op Operation, d *Document) {
	if known := d.methods(); !slices.Contains(known, op.Method) {
		c.add(fmt.Errorf("%q is no method of %s: expected %s", op.Method, cmp.Or(d.Protocol, "HTTP"), strings.Join(known, ", ")),
			"operations", name, "method")
	}
}
