package fakes

import (
	"maps"
	"slices"
	"sort"
	"strconv"

	"github.com/retrydrill/drill/targets"
)

// page lists what the query asks for, newest first.
func (d *records) page(f *Fake, c *call, b []byte) ([]byte, *refusal) {
	found := d.asked(c)
	size, skip, from := len(found), 0, len(found)
	if pg := c.op.Paging; pg != nil {
		var bad *refusal
		size = f.pageSize(int(c.params.integer(pg.Size, int64(max(pg.Page, 1)))))
		if from, skip, bad = d.begin(c, pg, found, size); bad != nil {
			return nil, bad
		}
	}
	items, more := []any{}, false
	for i := from - 1; i >= 0 && !more; i-- {
		switch {
		case !f.visible(c, found[i]):
		case skip > 0:
			skip--
		case len(items) == size:
			more = true
		default:
			items = append(items, d.object(found[i], c.op))
		}
	}
	fields := targets.ListFields(c.op.Items, items)
	if c.op.Paging != nil {
		fields[c.op.Paging.More] = more
	}
	return append(b, mustJSON(targets.Nest(fields))...), nil
}

// begin is where a page begins: below the object that the cursor names, or after
// the pages of lower numbers.
func (d *records) begin(c *call, pg *targets.Paging, found []*object, size int) (from, skip int, bad *refusal) {
	from = len(found)
	if v, given := c.params.scalars[pg.Number]; given && pg.Number != "" {
		n, err := strconv.Atoi(v)
		if err != nil || n < 1 || n > 1<<20 {
			return 0, 0, d.f.refuse("integer", pg.Number, "Invalid page: '%s'", v)
		}
		return from, (n - 1) * size, nil
	}
	if cursor, given := c.params.scalars[pg.Cursor]; given && pg.Cursor != "" {
		o := d.f.store.find(c.makers, cursor)
		if o == nil || !d.f.visible(c, o) {
			return 0, 0, d.f.refuse("object", pg.Cursor, "No such object: '%s'", cursor)
		}
		from = sort.Search(len(found), func(i int) bool { return found[i].inAll >= o.inAll })
	}
	return from, 0, nil
}

// asked are the objects that match every parameter that was given and filters, oldest
// first.
func (d *records) asked(c *call) []*object {
	s := &d.f.store
	found, narrowed := s.all, false
	for _, name := range slices.Sorted(maps.Keys(c.params.scalars)) {
		var list []*object
		switch by, v := d.f.p.Asks(c.named.Op, name, c.params.scalars[name]); by {
		case "business_key":
			list = s.grouped(v)
		case "reference":
			list = s.referred(v)
		case "key":
			list = s.keyed(v)
		case "made":
			list = s.rested(v)
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
