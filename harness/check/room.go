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
	books   table[page, *book]
	// promises are those of a trial whose settings change them.
	promises harness.Promises
	counted  table[memory, tally]
	asked    table[*life, *attempt]
}

// maxKept is up to how many events a history's view is kept for the next one, which
// writes over it.
const maxKept = 1 << 10

var builders = sync.Pool{New: func() any { return new(builder) }}

// release keeps the view's room for the next history.
func (b *builder) release() {
	if len(b.Events) <= maxKept {
		b.anew()
		builders.Put(b)
	}
}

// anew empties the view for the next history.
func (b *builder) anew() {
	v := &b.View
	v.actions, v.roots, v.numbered, v.sent = v.actions[:0], v.roots[:0], v.numbered[:0], v.sent[:0]
	v.reports, v.effects, v.undos, v.deliveries = v.reports[:0], v.effects[:0], v.undos[:0], v.deliveries[:0]
	v.struck, v.aside, v.delays, v.written = v.struck[:0], v.aside[:0], v.delays[:0], v.written[:0]
	v.texts, v.records, v.waits, v.puzzles, v.stamped, v.bare = 0, 0, false, false, false, false
	v.byName.reset()
	v.byID.reset()
	v.astray.reset()
	v.changes.reset()
	v.foreign.reset()
	v.owner.reset()
	b.latest, b.nameless = nil, nil
	b.lives.reset()
	b.places.reset()
	b.stores.reset()
	b.as.reset()
	b.intents.reset()
	b.broken.reset()
	b.apart, b.keeps = false, false
	r := &v.room
	r.actions.used, r.roots.used, r.attempts.used, r.lives.used, r.deliveries.used = 0, 0, 0, 0, 0
	r.givens.used, r.reports.used, r.effects.used, r.lookups.used = 0, 0, 0, 0
	r.sharing.reset()
	r.books.reset()
}

func (r *room) action(name string) *action {
	a := r.actions.next()
	a.name, a.number, a.ids, a.root, a.spec = name, 0, a.ids[:0], nil, nil
	a.given, a.latest, a.byWire, a.reports = a.given[:0], nil, nil, a.reports[:0]
	a.line, a.sent, a.recorded, a.refused, a.unseen = a.line[:0], 0, 0, false, a.unseen[:0]
	a.consents.reset()
	a.keys.reset()
	a.recordedBy.reset()
	return a
}

func (r *room) root(name string) *root {
	x := r.roots.next()
	x.name, x.members, x.effects, x.reports = name, x.members[:0], x.effects[:0], x.reports[:0]
	x.sent, x.mutations, x.last, x.book = false, 0, nil, book{}
	x.noted, x.told = nil, 0
	x.made.reset()
	x.refused.reset()
	x.digests.reset()
	x.approved.reset()
	return x
}

func (r *room) attempt(e *harness.Event) *attempt {
	a := r.attempts.next()
	*a = attempt{Event: e, class: harness.Unknown}
	return a
}

func (r *room) life() *life {
	l := r.lives.next()
	l.untold, l.unproven, l.unsaved = l.untold[:0], l.unproven[:0], l.unsaved[:0]
	l.late, l.lost, l.recent, l.asked, l.fromEnv, l.broken, l.pages = late{}, nil, nil, 0, false, nil, nil
	l.last.reset()
	return l
}

func (r *room) delivery(e *harness.Event) *delivery {
	d := r.deliveries.next()
	d.brought.reset()
	d.Event, d.acked, d.end, d.nack = e, false, "", ""
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
