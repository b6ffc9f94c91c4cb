package fakes

import (
	"maps"
	"slices"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/targets/dnsform"
)

// commit carries out an update and writes what it changed into the ledger: first what
// it took away, then what it made. It is called under the lock.
func (z *zone) commit(crossing *harness.Crossing, c *call) (*answer, *object) {
	u, bad := z.update(c)
	if bad == nil {
		bad = z.prerequisites(u)
	}
	if bad != nil {
		return z.f.refusalAnswer(bad), nil
	}
	o := &object{id: u.Resource(), op: c.named.Op, group: c.group, made: z.f.o.Now(),
		business: c.named.BusinessKey, reference: c.named.Reference, print: c.print}
	before := z.carry(u, o)
	e := harness.Effect{At: z.f.offset(o.made), Attempt: crossing.Attempt, Copy: crossing.Copy}
	made := z.lose(before, c, e)
	if added := z.added(before); len(added) > 0 {
		made = o
		o.parts = z.parts(o.op, added)
		z.f.keep(o, c, e)
		z.f.outlook(o)
	}
	if z.serial == before.serial && z.differs(before) {
		// RFC 2136 section 3.6: unless the update brought a serial of its own.
		z.serial++
	}
	return z.f.success(o, c), made
}

// lose takes back each part of which no record is left, and returns one object that
// lost some.
func (z *zone) lose(before snapshot, c *call, e harness.Effect) (last *object) {
	seen := map[*object]bool{}
	for _, name := range slices.Sorted(maps.Keys(before.names)) {
		for _, r := range before.names[name] {
			if r.by == nil || seen[r.by] || slices.ContainsFunc(z.names[name], func(s stored) bool { return s == r }) {
				continue
			}
			seen[r.by] = true
			if z.loses(r.by, c, e) {
				last = r.by
			}
		}
	}
	return last
}

func (z *zone) loses(o *object, c *call, e harness.Effect) bool {
	var left []dnsform.Record
	for _, records := range z.names {
		for _, r := range records {
			if r.by == o {
				left = append(left, r.Record)
			}
		}
	}
	var kept []string
	if len(left) > 0 {
		kept = z.parts(o.op, left)
	}
	e.Kind, e.Op, e.Resource, e.BusinessKey, e.Reference = harness.Undo, c.named.Op, o.id, o.business, o.reference
	for _, part := range o.parts {
		if !slices.Contains(kept, part) {
			e.Part = part
			z.f.ledger.append(e)
		}
	}
	lost := len(kept) < len(o.parts)
	o.parts = kept
	if len(kept) == 0 {
		o.undone, o.gone = true, true
		z.f.store.leave(o)
	}
	return lost
}

// snapshot is how the names that an update touches were before it.
type snapshot struct {
	names  map[string][]stored
	serial uint32
}

// carry carries an update out on behalf of an object.
func (z *zone) carry(u dnsform.Update, o *object) snapshot {
	before := snapshot{map[string][]stored{}, z.serial}
	for _, ch := range u.Changes {
		if _, saved := before.names[ch.Name]; !saved {
			before.names[ch.Name] = slices.Clone(z.names[ch.Name])
		}
		z.apply(ch, o)
	}
	return before
}

// added are the records that were not there before, by whomever.
func (z *zone) added(before snapshot) []dnsform.Record {
	var out []dnsform.Record
	for name, old := range before.names {
		for _, r := range z.names[name] {
			if !slices.ContainsFunc(old, func(b stored) bool { return b.Record == r.Record }) {
				out = append(out, r.Record)
			}
		}
	}
	return out
}

// differs reports whether a record came or went.
func (z *zone) differs(before snapshot) bool {
	for name, old := range before.names {
		if !slices.Equal(old, z.names[name]) {
			return true
		}
	}
	return false
}

// parts are those that records make: where an effect has two, text is the second and
// anything else the first.
func (z *zone) parts(op string, records []dnsform.Record) []string {
	all := z.f.p.PartsOf(op)
	if len(all) != 2 {
		return all
	}
	var out []string
	for i, part := range all {
		if slices.ContainsFunc(records, func(r dnsform.Record) bool { return (r.Type == "TXT") == (i == 1) }) {
			out = append(out, part)
		}
	}
	return out
}
