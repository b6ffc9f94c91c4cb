package check

import (
	"sync"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/internal/reuse"
)

// room is memory of a view that is used again for the next one: a search judges
// thousands of short histories, and to make all this anew each time takes longer than
// to judge.
type room struct {
	actions    reuse.Slab[action]
	roots      reuse.Slab[root]
	attempts   reuse.Slab[attempt]
	lives      reuse.Slab[life]
	deliveries reuse.Slab[delivery]
	givens     reuse.Slab[given]
	reports    reuse.Slab[report]
	effects    reuse.Slab[effect]
	lookups    reuse.Slab[lookup]

	// What the invariants walk with, one action after the other.
	keys    keyWalk
	reads   readWalk
	doubt   doubt
	teller  teller
	sharing reuse.Table[shared, *attempt]
	books   reuse.Table[page, *book]
	// promises are those of a trial whose settings change them.
	promises harness.Promises
	counted  reuse.Table[memory, tally]
	asked    reuse.Table[*life, *attempt]
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
	v.struck, v.aside, v.written = v.struck[:0], v.aside[:0], v.written[:0]
	v.delays, v.touches = v.delays[:0], v.touches[:0]
	v.texts, v.records, v.waits, v.puzzles, v.stamped, v.bare = 0, 0, false, false, false, false
	v.nobodys.mutations, v.nobodys.effects = 0, 0
	v.byName.Reset()
	v.byID.Reset()
	v.astray.Reset()
	v.changes.Reset()
	v.foreign.Reset()
	v.owner.Reset()
	b.lives.Reset()
	b.places.Reset()
	b.stores.Reset()
	b.as.Reset()
	b.intents.Reset()
	b.broken.Reset()
	b.apart, b.keeps = false, false
	r := &v.room
	r.actions.Reset()
	r.roots.Reset()
	r.attempts.Reset()
	r.lives.Reset()
	r.deliveries.Reset()
	r.givens.Reset()
	r.reports.Reset()
	r.effects.Reset()
	r.lookups.Reset()
	r.sharing.Reset()
	r.books.Reset()
}

func (r *room) action(name string) *action {
	a := r.actions.Next()
	a.name, a.ids, a.root, a.spec = name, a.ids[:0], nil, nil
	a.given, a.latest, a.byWire, a.reports = a.given[:0], nil, nil, a.reports[:0]
	a.line, a.sent, a.recorded, a.refused, a.unseen = a.line[:0], 0, 0, false, a.unseen[:0]
	a.consents.Reset()
	a.keys.Reset()
	a.recordedBy.Reset()
	return a
}

func (r *room) root(name string) *root {
	x := r.roots.Next()
	x.name, x.members, x.effects, x.reports = name, x.members[:0], x.effects[:0], x.reports[:0]
	x.sent, x.mutations, x.last, x.book = false, 0, nil, book{}
	x.noted, x.told = nil, 0
	x.made.Reset()
	x.refused.Reset()
	x.digests.Reset()
	x.approved.reset()
	return x
}

func (r *room) attempt(e *harness.Event) *attempt {
	a := r.attempts.Next()
	*a = attempt{Event: e, class: harness.Unknown}
	return a
}

func (r *room) life() *life {
	l := r.lives.Next()
	l.untold, l.unproven, l.unsaved = l.untold[:0], l.unproven[:0], l.unsaved[:0]
	l.late, l.lost, l.recent, l.asked, l.fromEnv, l.broken, l.pages = late{}, nil, nil, 0, false, nil, nil
	l.knows, l.about = knowledge{}, nil
	l.last.Reset()
	return l
}

func (r *room) delivery(e *harness.Event) *delivery {
	d := r.deliveries.Next()
	d.Event, d.acked, d.end, d.nack = e, false, "", ""
	return d
}

func (r *room) given(x *harness.DeliveredAction, d *delivery) *given {
	g := r.givens.Next()
	*g = given{DeliveredAction: x, delivery: d, wires: g.wires[:0]}
	return g
}

func (r *room) report(e *harness.Event) *report {
	x := r.reports.Next()
	*x = report{Event: e}
	return x
}

func (r *room) effect(e *harness.Event) *effect {
	x := r.effects.Next()
	*x = effect{Effect: e.Effect, seq: e.Seq}
	return x
}

func (r *room) lookup(begun int) *lookup {
	l := r.lookups.Next()
	*l = lookup{begun: begun}
	return l
}
