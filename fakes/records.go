package fakes

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/targets"
)

// records is the domain of whatever the create operation carries: an object is the
// body that made it, with its ID. Every business key exists.
type records struct {
	f *Fake
	// after is how long accepted work takes, by operation.
	after map[string]time.Duration
}

func (d *records) reset() error {
	d.after = nil
	for name, op := range d.f.p.Operations {
		if op.Async == nil || op.Async.After == "" {
			continue
		}
		var after harness.Duration
		if err := after.UnmarshalText([]byte(op.Async.After)); err != nil {
			return fmt.Errorf("fake of %s: async: %w", d.f.p.Name, err)
		}
		if d.after == nil {
			d.after = map[string]time.Duration{}
		}
		if d.after[name] = after.D(); d.f.ways.async > 0 {
			d.after[name] = d.f.ways.async
		}
	}
	return nil
}

// check refuses a read that filters by something else than the profile's: to take
// it for ours would answer another question.
func (d *records) check(c *call) *refusal {
	if c.op.Changes {
		return nil
	}
	for name, want := range d.f.p.Constants(c.named.Op) {
		if v, given := c.params.scalars[name]; given && v != want {
			return d.f.refuse("invalid", name, "The fake knows no %s but %s.", name, want)
		}
	}
	return nil
}

func (d *records) unmake(*object) {}

func (d *records) group(c *call) string { return c.named.BusinessKey }

func (d *records) make(f *Fake, _ string, c *call) (*object, *refusal) {
	return &object{data: content(f, c)}, nil
}

// content is what a write says, as JSON: what it was sent as, without constants.
func content(f *Fake, c *call) map[string]any {
	if len(c.op.Shows) > 0 {
		return shown(f, c)
	}
	if c.params.doc != nil {
		return c.params.doc
	}
	fields := map[string]any{}
	for name, v := range c.params.scalars {
		if t, own := c.op.Form[name]; own && !strings.Contains(t, "${") {
			continue
		}
		if fields[name] = v; c.op.Accepts[name].Type == "integer" {
			fields[name] = json.Number(v)
		}
	}
	for name, m := range c.params.maps {
		for key, v := range m {
			fields[name+"["+key+"]"] = v
		}
	}
	for name, l := range c.params.lists {
		fields[name] = l
	}
	out, _ := targets.Nest(fields).(map[string]any)
	return out
}

// shown is what a write says in the object's own words.
func shown(f *Fake, c *call) map[string]any {
	fields := map[string]any{}
	for from, to := range c.op.Shows {
		v, given := any(c.params.scalars[from]), c.params.has(from)
		switch {
		case from == f.p.Idempotency.Key.Body && c.key != "":
			v, given = c.key, true
		case c.params.doc != nil:
			v, given = targets.At(c.params.doc, from)
		}
		if given {
			fields[to] = v
		}
	}
	out, _ := targets.Nest(fields).(map[string]any)
	return out
}

// object is the object as it is now.
func (d *records) object(o *object, op *targets.Operation) map[string]any {
	out := maps.Clone(o.data.(map[string]any))
	if out == nil {
		out = map[string]any{}
	}
	if op.ID != "" {
		lay(out, targets.Nest(map[string]any{op.ID: o.id}).(map[string]any))
	}
	if a := d.f.p.Operations[o.op].Async; a != nil {
		lay(out, targets.Nest(map[string]any{a.Field: d.progress(o, a)}).(map[string]any))
	}
	for field, v := range o.leaves {
		lay(out, targets.Nest(map[string]any{field: v}).(map[string]any))
	}
	return out
}

// progress says how far the work on an object is.
func (d *records) progress(o *object, a *targets.Async) string {
	switch {
	case o.failed:
		return cmp.Or(a.Failed, "failed")
	case d.f.o.Now().Sub(o.made) < d.after[o.op]:
		return a.Pending
	}
	return a.Done
}

// lay puts fields over those that are there; objects become one. It changes no object
// that another one holds too.
func lay(onto, fields map[string]any) {
	for name, v := range fields {
		below, ok := onto[name].(map[string]any)
		if over, object := v.(map[string]any); ok && object {
			below = maps.Clone(below)
			lay(below, over)
			v = below
		}
		onto[name] = v
	}
}

func (d *records) show(o *object, c *call) []byte {
	var out any = d.object(o, c.op)
	if c.op.Object != "" {
		out = targets.Nest(map[string]any{c.op.Object: out})
	}
	return mustJSON(out)
}
