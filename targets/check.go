package targets

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/retrydrill/drill/harness"
)

// check finds what the YAML reader can not: words that nobody knows, and rules
// that contradict each other.
func check(d *Document) []problem {
	var bad checker
	bad.need(d.Name != "", "a profile has a name", "name")
	bad.need(len(d.Operations) > 0, "a profile has operations", "operations")
	for i, s := range d.Auth.Schemes {
		bad.word(s, []string{"bearer", "basic"}, "auth", "schemes", i)
	}
	bad.idempotency(d.Idempotency)
	for i, e := range d.Errors {
		bad.word(string(e.Class), classWords(), "errors", i, "class")
		bad.status(e.Status, "errors", i, "status")
	}
	bad.duration(d.Idempotency.Retention, "idempotency", "retention")
	bad.duration(d.Lookup.Lag, "lookup", "lag")
	bad.duration(d.Lookup.MaxInFlight, "lookup", "max_in_flight")
	for i, by := range d.Lookup.By {
		bad.word(by, []string{"business_key", "key", "reference", "id"}, "lookup", "by", i)
	}
	for name, r := range d.Refusals {
		bad.word(name, refusalNames, "refusals", name)
		bad.status(r.Status, "refusals", name, "status")
	}
	for i, t := range d.ErrorBody.Types {
		bad.need(t.Type != "", "an error type has a name", "error_body", "types", i, "type")
	}
	for name, op := range d.Operations {
		bad.operation(name, op)
	}
	bad.lookup(d)
	bad.steps(d)
	if d.Fake.Domain != "" {
		bad.word(d.Fake.Domain, []string{"refunds", "records"}, "fake", "domain")
	}
	bad.example(d.Example)
	slices.SortStableFunc(bad, func(a, b problem) int { return strings.Compare(fmt.Sprint(a.path), fmt.Sprint(b.path)) })
	return bad
}

// refusalNames are the places at which a fake refuses a request.
var refusalNames = []string{"auth", "route", "absent", "body", "size", "key", "no_key", "missing", "unknown", "empty", "integer", "invalid", "object", "spent", "gone", "undone", "throttled", "maintenance"}

func classWords() []string {
	var out []string
	for _, c := range harness.Classes {
		out = append(out, string(c))
	}
	return out
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
		c.add(fmt.Errorf("%q is not known here: expected %s", s, strings.Join(known, ", ")), path...)
	}
}

func (c *checker) status(n int, path ...any) {
	if n < 100 || n > 599 {
		c.add(fmt.Errorf("%d is no HTTP status", n), path...)
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
	c.need(len(i.ReplayHeader) <= 1, "one header marks a replay", at, "replay_header")
	c.need(i.Key.Max >= 0, "max is not negative", at, "key", "max")
	if i.Key.Header == "" && i.Key.Body == "" {
		return
	}
	c.word(i.Key.Malformed, []string{"refuse", "ignore"}, at, "key", "malformed")
	c.word(i.Key.Missing, []string{"accept", "refuse"}, at, "key", "missing")
	c.word(i.Scope, []string{"account", "endpoint", "resource", "none"}, at, "scope")
	c.word(i.Same, []string{"replay", "equivalent", "re-execute"}, at, "same_arguments")
	if i.Other.Word != "" {
		c.word(i.Other.Word, []string{"replay", "execute"}, at, "other_arguments")
	} else {
		c.status(i.Other.Status, at, "other_arguments")
	}
	if i.InFlight != (Refusal{}) {
		c.status(i.InFlight.Status, at, "in_flight")
	}
	c.need(!i.Key.Quoted || i.Key.Header != "", "a quoted key stands in a header", at, "key", "quoted")
	c.need(!i.Echo || i.Key.Header != "", "a key that is echoed stands in a header", at, "echo")
	if i.Gone != "" {
		c.word(i.Gone, []string{"replay", "refuse", "re-execute"}, at, "gone")
	}
	for n, s := range i.Stored.Executed {
		c.word(s, []string{"success", "error", "5xx"}, at, "stored", "executed", n)
	}
	for n, v := range i.Stored.Never {
		switch x := v.(type) {
		case string:
			c.word(x, []string{"validation"}, at, "stored", "never", n)
		case uint64:
			c.status(int(min(x, 1000)), at, "stored", "never", n)
		default:
			c.add(fmt.Errorf("%v is neither validation nor a status", v), at, "stored", "never", n)
		}
	}
}

func (c *checker) operation(name string, op Operation) {
	at := func(keys ...any) []any { return append([]any{"operations", name}, keys...) }
	c.word(op.Method, []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}, at("method")...)
	c.need(strings.HasPrefix(op.Path, "/"), "a path begins with /", at("path")...)
	c.need(len(op.Form) == 0 || len(op.JSON) == 0, "a body is form or json, not both", at("json")...)
	if op.IDs != "" {
		c.word(op.IDs, []string{"server", "client"}, at("ids")...)
	}
	if op.Status != 0 {
		c.status(op.Status, at("status")...)
	}
	if op.IDs == "client" {
		c.need(strings.Contains(op.Path, idSegment), "an ID that the client chooses stands in the path as "+idSegment, at("path")...)
	}
	if op.Unique != "" {
		c.word(op.Unique, []string{"business_key"}, at("unique")...)
	}
	if op.Unique != "" || op.Exists != (Refusal{}) {
		c.status(op.Exists.Status, at("exists")...)
	}
	if a := op.Async; a != nil {
		c.need(a.Field != "" && a.Pending != "" && a.Done != "", "async needs field, pending and done", at("async")...)
		c.duration(a.After, at("async", "after")...)
	}
	if pg := op.Paging; pg != nil {
		c.need(op.Items != "", "paging needs items", at("paging")...)
		c.need((pg.Cursor != "") != (pg.Number != "") && pg.More != "", "paging needs cursor or number, and more", at("paging")...)
	}
	for param, p := range op.Accepts {
		c.word(p.Type, []string{"string", "integer", "boolean", "map", "list", "object"}, at("accepts", param, "type")...)
	}
	for i, param := range op.ExactlyOne {
		_, ok := op.Accepts[param]
		c.need(ok, fmt.Sprintf("%q is not among accepts", param), at("exactly_one", i)...)
	}
}
