package fakes

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/targets"
)

// records is the domain of whatever the create operation carries: an object is the
// body that made it, with its ID. Every business key exists.
type records struct {
	f     *Fake
	after time.Duration
}

func newRecords(f *Fake) (*records, error) {
	d := &records{f: f}
	if a := f.p.Operations[harness.CreateOp].Async; a != nil && a.After != "" {
		var after harness.Duration
		if err := after.UnmarshalText([]byte(a.After)); err != nil {
			return nil, fmt.Errorf("fake of %s: async: %w", f.p.Name, err)
		}
		d.after = after.D()
	}
	return d, nil
}

func (d *records) check(*call) *refusal { return nil }

func (d *records) unmake(*object) {}

func (d *records) make(f *Fake, id string, c *call) (*object, *refusal) {
	group := c.named.BusinessKey
	if c.op.Unique != "" && len(f.store.groups[group]) > 0 {
		return nil, refused(c.op.Exists, "", "There is one of this name already.")
	}
	return &object{id: id, group: group, made: f.o.Now(), data: content(c)}, nil
}

// content is what a write says, as JSON: what it was sent as, without constants.
func content(c *call) map[string]any {
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

// object is the object as it is now.
func (d *records) object(o *object, op targets.Operation) map[string]any {
	out := maps.Clone(o.data.(map[string]any))
	if out == nil {
		out = map[string]any{}
	}
	create := d.f.p.Operations[harness.CreateOp]
	if op.ID != "" {
		lay(out, targets.Nest(map[string]any{op.ID: o.id}).(map[string]any))
	}
	if a := create.Async; a != nil {
		if out[a.Field] = a.Done; d.f.o.Now().Sub(o.made) < d.after {
			out[a.Field] = a.Pending
		}
	}
	return out
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

// page lists what the query asks for, newest first.
func (d *records) page(f *Fake, c *call) ([]byte, *refusal) {
	found := d.asked(c)
	from := len(found)
	size := len(found)
	if pg := c.op.Paging; pg != nil {
		size = int(c.params.integer(pg.Size, int64(max(pg.Page, 1))))
		if cursor, given := c.params.scalars[pg.Cursor]; given {
			o := f.store.byID[cursor]
			if o == nil || !f.visible(o) {
				return nil, f.refuse("object", pg.Cursor, "No such object: '%s'", cursor)
			}
			from = sort.Search(len(found), func(i int) bool { return found[i].inAll >= o.inAll })
		}
	}
	items, more := []any{}, false
	for i := from - 1; i >= 0 && !more; i-- {
		switch {
		case !f.visible(found[i]):
		case len(items) == size:
			more = true
		default:
			items = append(items, d.object(found[i], c.op))
		}
	}
	fields := map[string]any{c.op.Items: items}
	if c.op.Paging != nil {
		fields[c.op.Paging.More] = more
	}
	return mustJSON(targets.Nest(fields)), nil
}

// asked are the objects that match every parameter of the query's template that was
// given, oldest first.
func (d *records) asked(c *call) []*object {
	s := d.f.store
	found, narrowed := s.all, false
	for _, name := range slices.Sorted(maps.Keys(c.op.Query)) {
		v, given := c.params.scalars[name]
		if !given {
			continue
		}
		var list []*object
		switch by, v := d.f.p.Asks(c.named.Op, name, v); by {
		case "business_key":
			list = s.groups[v]
		case "reference":
			list = s.referred[v]
		case "key":
			list = s.keyed[v]
		default:
			continue
		}
		if narrowed {
			list = slices.DeleteFunc(slices.Clone(list), func(o *object) bool { return !slices.Contains(found, o) })
		}
		found, narrowed = list, true
	}
	return found
}
