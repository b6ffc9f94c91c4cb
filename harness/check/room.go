package check

import (
	"sync"

	"github.com/retrydrill/drill/harness"
)

// room is memory of a view that is used again for the next one: a search judges
// thousands of short histories, and to make all this anew each time takes longer than
// to judge.
type room struct {
	actions    slab[action]
	roots      slab[root]
	attempts   slab[attempt]
	lives      slab[life]
	deliveries slab[delivery]
	givens     slab[given]
	reports    slab[report]
	effects    slab[effect]
	lookups    slab[lookup]

	// What the invariants walk with, one action after the other.
	keys    keyWalk
	reads   readWalk
	doubt   doubt
	teller  teller
	knows   table[*life, knowledge]
	sharing table[shared, *attempt]
	books   table[page, book]
	counted table[memory, tally]
	asked   table[*life, *attempt]
}

// maxKept is up to how many events a history's view is kept for the next one, which
// writes over it.
const maxKept = 1 << 10

var builders = sync.Pool{New: func() any { return new(builder) }}

// judged has f look at the view of a history, which is not to be kept.
func judged(h *harness.History, f func(*View)) {
	b := builders.Get().(*builder)
	b.build(h)
	f(&b.View)
	if len(h.Events) <= maxKept {
		b.anew()
		builders.Put(b)
	}
}

// anew empties the view for the next history.
func (b *builder) anew() {
	v := &b.View
	v.actions, v.roots, v.numbered, v.sent = v.actions[:0], v.roots[:0], v.numbered[:0], v.sent[:0]
	v.reports, v.effects, v.undos, v.deliveries = v.reports[:0], v.effects[:0], v.undos[:0], v.deliveries[:0]
	v.struck, v.aside, v.delays = v.struck[:0], v.aside[:0], v.delays[:0]
	v.texts, v.records = 0, 0
	v.byName.reset()
	v.byID.reset()
	v.astray.reset()
	v.changes.reset()
	v.foreign.reset()
	v.owner.reset()
	b.lives.reset()
	b.places.reset()
	b.as.reset()
	b.named.reset()
	b.broken.reset()
	b.recorded.reset()
	b.stores.reset()
	b.keeps = false
	r := &v.room
	r.actions.used, r.roots.used, r.attempts.used, r.lives.used, r.deliveries.used = 0, 0, 0, 0, 0
	r.givens.used, r.reports.used, r.effects.used, r.lookups.used = 0, 0, 0, 0
	r.sharing.reset()
	r.books.reset()
}

func (r *room) action(name string) *action {
	a := r.actions.next()
	a.keys.reset()
	a.consents.reset()
	*a = action{name: name, ids: a.ids[:0], given: a.given[:0], consents: a.consents, reports: a.reports[:0], line: a.line[:0], keys: a.keys, unseen: a.unseen[:0]}
	return a
}

func (r *room) root(name string) *root {
	x := r.roots.next()
	x.made.reset()
	x.digests.reset()
	x.approved.reset()
	x.refused.reset()
	*x = root{name: name, members: x.members[:0], effects: x.effects[:0], made: x.made, reports: x.reports[:0],
		digests: x.digests, approved: x.approved, refused: x.refused}
	return x
}

func (r *room) attempt(e *harness.Event) *attempt {
	a := r.attempts.next()
	*a = attempt{Event: e, class: harness.Unknown}
	return a
}

func (r *room) life() *life {
	l := r.lives.next()
	l.last.reset()
	*l = life{untold: l.untold[:0], unproven: l.unproven[:0], unsaved: l.unsaved[:0], last: l.last}
	return l
}

func (r *room) delivery(e *harness.Event) *delivery {
	d := r.deliveries.next()
	d.brought.reset()
	*d = delivery{Event: e, brought: d.brought}
	return d
}

func (r *room) given(x *harness.DeliveredAction, d *delivery) *given {
	g := r.givens.next()
	*g = given{DeliveredAction: x, delivery: d, wires: g.wires[:0]}
	return g
}

func (r *room) report(e *harness.Event) *report {
	x := r.reports.next()
	*x = report{Event: e}
	return x
}

func (r *room) effect(e *harness.Event) *effect {
	x := r.effects.next()
	*x = effect{Effect: e.Effect, seq: e.Seq}
	return x
}

func (r *room) lookup(begun int) *lookup {
	l := r.lookups.next()
	*l = lookup{begun: begun}
	return l
}
