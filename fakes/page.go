package fakes

import (
	"slices"
	"strconv"

	"github.com/retrydrill/drill/harness"
)

// defaultPage is the size of a page that asks for none.
const defaultPage = 10

// span is which part of a list a request asks for: so many, after a cursor (forward) or
// before one (backward).
type span struct {
	limit             int
	after, before     string
	forward, backward bool
}

// spanOf reads it.
func spanOf(p *params) (s span) {
	s.limit = int(p.integer("limit", defaultPage))
	s.after, s.forward = p.scalars["starting_after"]
	s.before, s.backward = p.scalars["ending_before"]
	return s
}

// walk collects one page, newest first: what stands after the cursor (starting_after),
// or just before it (ending_before). The page is there until the next walk.
func (f *Fake) walk(c *call, group string, s *span, keep func(*object) bool) (page []*object, more bool, bad *refusal) {
	objects, place := f.store.list(group)
	page = f.found[:0]
	limit := f.pageSize(s.limit)
	from, step := len(objects)-1, -1
	switch {
	case s.forward && s.backward:
		return nil, false, f.refuse("invalid", "starting_after", "You cannot provide both ending_before and starting_after.")
	case s.forward:
		if from, bad = f.cursor(c, "starting_after", s.after, group, place); bad != nil {
			return nil, false, bad
		}
		from--
	case s.backward:
		if from, bad = f.cursor(c, "ending_before", s.before, group, place); bad != nil {
			return nil, false, bad
		}
		from, step = from+1, 1
	}
	for i := from; i >= 0 && i < len(objects); i += step {
		if o := objects[i]; (group == "" || o.group == group) && f.visible(c, o) && keep(o) {
			if len(page) == limit {
				more = true
				break
			}
			page = append(page, o)
		}
	}
	if s.backward {
		slices.Reverse(page)
	}
	f.found = page[:0]
	return page, more, nil
}

// pageSize is how many objects a page holds at most.
func (f *Fake) pageSize(asked int) int {
	if f.ways.lookup == harness.LookupPaged {
		return 1
	}
	return asked
}

func (f *Fake) cursor(c *call, param, id, group string, place func(*object) int) (int, *refusal) {
	o := f.store.find(c.makers, id)
	if o == nil || (group != "" && o.group != group) || !f.visible(c, o) {
		return 0, f.refuse("object", param, "No such object: '%s'", id)
	}
	return place(o), nil
}

// within reports whether a time meets all bounds (gt, gte, lt, lte; seconds since 1970).
func within(s int64, bounds map[string]string) bool {
	for name, v := range bounds {
		n, err := strconv.ParseInt(v, 10, 64)
		if err != nil {
			return false
		}
		if (name == "gt" && s <= n) || (name == "gte" && s < n) || (name == "lt" && s >= n) || (name == "lte" && s > n) {
			return false
		}
	}
	return true
}
