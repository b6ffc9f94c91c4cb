package fakes

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/retrydrill/drill/harness"
)

// execute carries out a write, or what the schedule wants in its place, and settles
// the key in the same step. done tells whether that was carried out.
func (f *Fake) execute(crossing *harness.Crossing, d harness.TargetDecision, c *call, held *claim) (a *answer, done bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.catchUp()
	var made *object
	defer func() { f.settle(c, held, a, made) }()
	told := func() *answer {
		return f.refusalAnswer(&refusal{status: d.Status, code: d.Code})
	}
	switch d.Name {
	case "reject":
		return told(), true
	case "swallow":
		if c.op.Undoes != "" {
			return f.swallowedUndo(c), true
		}
		return f.duplicate(c), true
	}
	a, made = f.commit(crossing, c)
	switch {
	case made == nil:
		// The world's state refused it: there is nothing to fail or forget.
		return a, d.Name == ""
	case d.Name == "fail":
		return told(), true
	case d.Name == "restart":
		f.keys.Reset()
	}
	return a, true
}

// commit makes the object and writes the ledger. It is called under the lock.
func (f *Fake) commit(crossing *harness.Crossing, c *call) (*answer, *object) {
	if f.committer != nil {
		return f.committer.commit(crossing, c)
	}
	if c.op.Undoes != "" {
		return f.undo(crossing, c)
	}
	id := f.id(c.prefix, uint64(len(f.store.all)), f.p.Fake.IDLength)
	if c.op.IDs == "client" {
		id = c.named.Resource
		if o := f.store.at(c.named.Op, id); o != nil && o.stands() {
			return f.again(o, c), nil
		}
	}
	if bad := f.grounded(c); bad != nil {
		return f.refusalAnswer(bad), nil
	}
	o, bad := f.make(id, c)
	if bad != nil {
		return f.refusalAnswer(bad), nil
	}
	f.keep(o, c, harness.Effect{At: f.offset(o.made), Attempt: crossing.Attempt, Copy: crossing.Copy})
	f.outlook(o)
	f.follow(c)
	return f.succeed(place(f, &f.answers), o, c), o
}

// grounded refuses a write that rests on an earlier step's object which is not there
// or was taken back.
func (f *Fake) grounded(c *call) *refusal {
	for _, step := range steps(c) {
		id := c.named.Made[step]
		if o := f.store.find([]string{step}, id); o == nil || !o.stands() {
			return f.refuse("object", "", "No such object: '%s'", id)
		}
	}
	return nil
}

// steps are those on which a write rests; most writes rest on none.
func steps(c *call) []string {
	if len(c.named.Made) == 0 {
		return nil
	}
	return slices.Sorted(maps.Keys(c.named.Made))
}

func (f *Fake) make(id string, c *call) (*object, *refusal) {
	if c.op.Unique != "" && f.store.standing(c.named.Op, c.group) > 0 {
		return nil, refused(c.op.Exists, "", "There is one of this name already.")
	}
	o, bad := f.domain.make(f, id, c)
	if bad == nil {
		o.id, o.op, o.group, o.made = cmp.Or(o.id, id), c.named.Op, c.group, f.o.Now()
		if o.parts == nil {
			o.parts = c.parts
		}
		o.business, o.reference, o.key, o.print = c.named.BusinessKey, c.named.Reference, c.key, c.print
		for _, step := range steps(c) {
			o.rests = append(o.rests, c.named.Made[step])
		}
	}
	return o, bad
}

// keep stores an object and writes an entry into the ledger for each of its parts.
// The entry says whose it is, and when.
func (f *Fake) keep(o *object, c *call, e harness.Effect) {
	f.store.add(o)
	e.Kind, e.Op, e.Resource, e.Rests = harness.Do, o.op, o.id, o.rests
	e.BusinessKey, e.Key, e.Reference, e.Arguments = o.business, o.key, o.reference, c.named.Arguments
	for _, part := range o.parts {
		e.Part = part
		f.ledger.append(e)
	}
	f.announce(e)
}

// offset is a time on the ledger.
func (f *Fake) offset(at time.Time) harness.Duration { return harness.Duration(at.Sub(f.o.Start)) }

// again answers a write to an ID that its client chose and that is taken: the same
// write finds its work done.
func (f *Fake) again(o *object, c *call) *answer {
	if o.print == c.print {
		return f.success(o, c)
	}
	r := c.op.Exists
	if r.Status == 0 {
		r.Status = http.StatusConflict
	}
	return f.refusalAnswer(refused(r, "", "Something else has this ID."))
}

func (f *Fake) nextID(op string) string { return f.idOf(op, uint64(len(f.store.all))) }

func (f *Fake) idOf(op string, n uint64) string {
	return f.id(f.prefix(op), n, f.p.Fake.IDLength)
}

// prefix is how the IDs of what an operation makes begin.
func (f *Fake) prefix(op string) string {
	return cmp.Or(f.p.Fake.IDPrefixes[op], f.p.Fake.IDPrefix)
}

// duplicate answers as to a repeat, and commits nothing: with the newest object of
// the business key, or with one that never was.
func (f *Fake) duplicate(c *call) *answer {
	o, bad := f.make(f.idOf(c.named.Op, uint64(len(f.store.all))|1<<40), c)
	if bad != nil {
		return f.refusalAnswer(bad)
	}
	f.domain.unmake(o)
	known := f.store.grouped(o.group)
	for i := len(known) - 1; i >= 0; i-- {
		if known[i].op == o.op && known[i].stands() {
			o = known[i]
			break
		}
	}
	return f.success(o, c).replayed()
}
