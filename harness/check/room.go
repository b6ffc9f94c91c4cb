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

// maxKept is up to how many events a history's view is kept for the next one.
const maxKept = 1 << 12

var builders = sync.Pool{New: func() any { return new(builder) }}

// judged has f look at the view of a history, which is not to be kept.
func judged(h *harness.History, f func(*View)) {
	b := builders.Get().(*builder)
	b.build(h)
	f(&b.View)
	if len(h.Events) <= maxKept {
		b.forget()
		builders.Put(b)
	}
}

// forget empties the view: nothing of the history is held on to.
func (b *builder) forget() {
	v := &b.View
	v.History, v.promises = nil, harness.Promises{}
	v.actions, v.roots, v.numbered, v.sent = emptied(v.actions), emptied(v.roots), emptied(v.numbered), emptied(v.sent)
	v.reports, v.effects, v.undos, v.deliveries = emptied(v.reports), emptied(v.effects), emptied(v.undos), emptied(v.deliveries)
	v.struck, v.aside, v.delays = emptied(v.struck), emptied(v.aside), emptied(v.delays)
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
	b.about = emptied(b.about)
	v.room.forget()
}

func (r *room) forget() {
	r.actions.reset(func(a *action) action {
		a.keys.reset()
		return action{ids: emptied(a.ids), given: emptied(a.given), reports: emptied(a.reports), line: emptied(a.line), keys: a.keys, unseen: emptied(a.unseen)}
	})
	r.roots.reset(func(x *root) root {
		x.made.reset()
		x.digests.reset()
		x.approved.reset()
		return root{members: emptied(x.members), effects: emptied(x.effects), made: x.made, reports: emptied(x.reports),
			digests: x.digests, approved: x.approved}
	})
	r.attempts.reset(func(*attempt) attempt { return attempt{} })
	r.lives.reset(func(l *life) life {
		l.last.reset()
		return life{untold: emptied(l.untold), unproven: emptied(l.unproven), unsaved: emptied(l.unsaved), last: l.last}
	})
	r.deliveries.reset(func(d *delivery) delivery {
		d.brought.reset()
		return delivery{brought: d.brought}
	})
	r.givens.reset(func(g *given) given { return given{wires: emptied(g.wires)} })
	r.reports.reset(func(*report) report { return report{} })
	r.effects.reset(func(*effect) effect { return effect{} })
	r.lookups.reset(func(*lookup) lookup { return lookup{} })
	r.keys.reset(nil, nil)
	r.reads.reset(nil, nil)
	r.doubt.reset(nil, nil)
	r.teller.reset(nil, nil)
	r.knows.reset()
	r.sharing.reset()
	r.books.reset()
	r.counted.reset()
	r.asked.reset()
}
