package fakes

import (
	"cmp"
	"fmt"
	"net/http"

	"github.com/retrydrill/drill/harness"
)

// execute carries out a write, or what the schedule wants in its place, and settles
// the key in the same step. done tells whether that was carried out.
func (f *Fake) execute(crossing *harness.Crossing, d harness.TargetDecision, c *call, held *claim) (a *answer, done bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var made *object
	defer func() { f.settle(c, held, a, made) }()
	told := func() *answer {
		return f.refusalAnswer(&refusal{status: d.Status, code: d.Code})
	}
	switch d.Name {
	case "reject":
		return told(), true
	case "swallow":
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
		f.keys = map[string]*claim{}
	}
	return a, true
}

// commit makes the object and writes the ledger. It is called under the lock.
func (f *Fake) commit(crossing *harness.Crossing, c *call) (*answer, *object) {
	id := f.nextID()
	if c.op.IDs == "client" {
		id = c.named.Resource
		if o := f.store.byID[id]; o != nil {
			return f.again(o, c), nil
		}
	}
	o, bad := f.make(id, c)
	if bad != nil {
		return f.refusalAnswer(bad), nil
	}
	f.store.add(o)
	e := f.effect(o, c)
	e.Attempt, e.Copy = crossing.Attempt, crossing.Copy
	f.ledger.append(e)
	f.announce(e)
	return f.success(o, c), o
}

func (f *Fake) make(id string, c *call) (*object, *refusal) {
	o, bad := f.domain.make(f, id, c)
	if bad == nil {
		o.reference, o.key, o.print = c.named.Reference, c.key, c.print
	}
	return o, bad
}

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

func (f *Fake) success(o *object, c *call) *answer {
	return &answer{status: cmp.Or(c.op.Status, http.StatusOK), body: f.domain.show(o, c)}
}

func (f *Fake) effect(o *object, c *call) harness.Effect {
	return harness.Effect{
		Resource:    o.id,
		Op:          c.named.Op,
		Kind:        harness.Do,
		BusinessKey: c.named.BusinessKey,
		Key:         c.key,
		Reference:   c.named.Reference,
		Arguments:   c.named.Arguments,
		At:          harness.Duration(o.made.Sub(f.o.Start)),
	}
}

func (f *Fake) nextID() string {
	return f.id(f.p.Fake.IDPrefix, uint64(len(f.store.all)), f.p.Fake.IDLength)
}

// duplicate answers as to a repeat, and commits nothing: with the newest object of
// the business key, or with one that never was.
func (f *Fake) duplicate(c *call) *answer {
	o, bad := f.make(f.id(f.p.Fake.IDPrefix, uint64(len(f.store.all))|1<<40, f.p.Fake.IDLength), c)
	if bad != nil {
		return f.refusalAnswer(bad)
	}
	f.domain.unmake(o)
	if known := f.store.groups[o.group]; len(known) > 0 {
		o = known[len(known)-1]
	}
	return f.success(o, c).replayed()
}

// plant makes a stranger's object in the likeness of an action: the same business
// key and arguments, and no reference of ours.
func (f *Fake) plant(a harness.Action) error {
	raw, err := f.p.Request(harness.CreateOp, f.nextID(), f.foreign(a))
	if err != nil {
		return fmt.Errorf("foreign object: %w", err)
	}
	c, bad := f.read(request(raw), raw.Body)
	if bad != nil {
		return fmt.Errorf("foreign object: the target refuses it: %d %s", bad.status, bad.message)
	}
	o, bad := f.make(f.nextID(), c)
	if bad != nil {
		return fmt.Errorf("foreign object: the target refuses it: %d %s", bad.status, bad.message)
	}
	// It was there before the trial, so that no read lags behind it.
	o.made = f.o.Start.Add(-f.lag)
	f.store.add(o)
	e := f.effect(o, c)
	e.At, e.Foreign = 0, true
	f.ledger.append(e)
	return nil
}
