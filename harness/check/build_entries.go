package check

import "github.com/retrydrill/drill/harness"

// record takes in one write of the executor's own store, where the harness stands at
// it: what it heard of the action is kept then, or is known to nobody.
func (b *builder) record(e *harness.Event, x *action) {
	if e.Record == nil {
		return
	}
	b.records++
	if x == nil {
		return
	}
	s, written := b.at(e), e.Note == recordWritten
	if written || e.Note == recordLost {
		b.written = append(b.written, writing{Event: e, book: b.book(x.root, e.Op, s.store)})
	}
	if written {
		*b.recorded(x, e.Op) = e.Record.Attempt
		x.root.notes(e)
		s.life.saves(x, e.Seq)
		return
	}
	if e.Note == recordLost {
		s.life.lost = with(s.life.lost, x)
	}
	s.life.forgets(x)
}

// notes takes in a record of the intent that was written.
func (r *root) notes(e *harness.Event) {
	n := e.Record.Attempt
	if r.noted == nil && n > 0 {
		r.noted = e
	}
	r.told = max(r.told, n)
}

// recorded is how many requests the last record of the action told of, or that of one step
// where each has a record of its own.
func (v *View) recorded(x *action, op string) *int {
	if !v.steps || op == "" {
		return &x.recorded
	}
	return x.recordedBy.At(op)
}

// effect takes in one entry of the ledger.
func (b *builder) effect(e *harness.Event, by *action) {
	if e.Effect == nil || e.Effect.Foreign {
		return
	}
	x := b.room.effect(e)
	x.action, x.attempt = by, b.attempt(e.Attempt)
	b.effects = append(b.effects, x)
	if by == nil {
		b.nobodys.effects++
	}
	if e.Effect.Kind == harness.Undo {
		b.undone(x)
		return
	}
	if e.Effect.Reference != "" {
		b.stamped = true
	} else {
		b.bare = true
	}
	if x.action == nil {
		return
	}
	r := x.action.root
	if r.effects = append(r.effects, x); len(r.effects) > 1 {
		r.made.Set(e.Effect.Resource, true)
	}
	if len(b.roots) > 1 {
		if owner := b.owner.At(e.Effect.Resource); *owner == nil {
			*owner = r
		}
	}
}

// undone notes what an undo took back, whoever asked for it.
func (b *builder) undone(u *effect) {
	b.undos = append(b.undos, u)
	for _, e := range b.effects {
		if e.Kind != harness.Undo && e.undone == nil && sameObject(e, u) {
			e.undone = u
		}
	}
}

func (b *builder) report(e *harness.Event, x *action) {
	b.texts++
	if e.Report == nil {
		return
	}
	s := b.at(e)
	l := s.life
	l.hears(e, b.Schedule.Limits.ClientDeadline)
	if !b.keeps {
		l.saves(nil, e.Seq)
	}
	if x == nil {
		x = b.byID.Get(e.Report.ActionID)
	}
	r := b.room.report(e)
	r.life, r.action, r.place, r.store = l, x, s.place, s.store
	b.reports = append(b.reports, r)
	if x == nil {
		return
	}
	r.given = b.givenAt(r.place, x)
	x.reports = append(x.reports, r)
	x.root.reports = append(x.root.reports, r)
	x.line = append(x.line, item{Event: e, turn: tells, report: r})
}
