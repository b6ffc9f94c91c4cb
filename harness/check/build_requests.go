package check

import (
	"strings"

	"github.com/retrydrill/drill/harness"
)

func (b *builder) request(e *harness.Event, x *action) {
	b.texts++
	s := b.at(e)
	l := s.life
	if e.Copy {
		return
	}
	if !b.keeps {
		l.saves(nil, e.Seq)
	}
	a := b.room.attempt(e)
	a.action, a.life, a.origin = x, l, a
	a.undo = len(b.promises.Steps) > 0 && b.undoes(e.Op)
	b.unseen(a)
	if x != nil {
		a.given, a.recorded = b.givenAt(s.place, x), *b.recorded(x, e.Op)
	}
	a.store, a.unrecorded = s.store, len(l.lost) > 0 && l.lost.has(x)
	l.hears(e, b.Schedule.Limits.ClientDeadline)
	l.goesOn(a)
	if e.Changes {
		l.mends(a)
		b.sent = append(b.sent, a)
		if b.keeps {
			b.written = append(b.written, writing{e, nil, a.store})
		}
		if x != nil {
			x.mutated(a)
		}
		if x == nil || e.Rule == 4 {
			b.nobodys.mutations++
		}
	}
	if e.Attempt > 0 {
		b.number(a)
	}
	if e.Changes || a.undo {
		b.put(a, e, a.asked())
	}
}

// put lines an event of a request up with what concerns the same action, or all that it
// may be about.
func (b *builder) put(a *attempt, e *harness.Event, t turn) {
	if a.action != nil {
		b.putTo(a.action, a, e, t)
		return
	}
	for _, x := range b.concerns(a, b.place(a.Event)) {
		b.putTo(x, a, e, t)
	}
}

func (b *builder) putTo(x *action, a *attempt, e *harness.Event, t turn) {
	it := item{Event: e, turn: t, attempt: a}
	if t == reads {
		it.lookup = b.page(a, x)
	}
	x.line = append(x.line, it)
}

// goesOn: it sent another request, so that one for the action before it that has no
// answer yet may have been given up.
func (l *life) goesOn(a *attempt) {
	before := l.recent
	if before != nil && before.action != a.action {
		l.last.Set(before.action, before)
		before = l.last.Get(a.action)
	}
	if before != nil && before.passed == nil && before.lost == nil {
		before.doubtful = true
	}
	l.recent, l.asked = a, a.Attempt
	if !l.late.takes(a) {
		l.untold = append(l.untold, a)
	}
}

// mutated takes in one mutation that was sent for the action.
func (x *action) mutated(a *attempt) {
	x.sent++
	r := x.root
	r.sent = true
	if !a.undo {
		r.mutations++
		r.last = a
	}
}

// number puts an attempt where [View.attempt] finds it.
func (b *builder) number(a *attempt) {
	n := a.Attempt
	switch {
	case n == len(b.numbered)+1:
		b.numbered = append(b.numbered, a)
	case n > len(b.Events):
		b.astray.Set(n, a)
	default:
		for len(b.numbered) < n {
			b.numbered = append(b.numbered, nil)
		}
		b.numbered[n-1] = a
	}
}

// mends takes note of a request that may be one which a transport sends again.
func (l *life) mends(a *attempt) {
	if len(l.broken) == 0 {
		return
	}
	for _, as := range [...]form{a.form(), a.form().torn()} {
		if before := l.broken[as]; before != nil && before.Conn != a.Conn {
			a.repeats, a.maybe = before, !before.maybe
		}
		delete(l.broken, as)
	}
}

// unseen gives a request that was torn before its key was seen the key that its
// action is sent under next: nothing shows that it had another one.
func (b *builder) unseen(a *attempt) {
	x := a.action
	switch {
	case !b.promises.Key.InBody || x == nil || !a.Changes:
	case a.Key == "" && a.Note == tornInBody:
		own := *a.Event
		a.Event = &own
		x.unseen = append(x.unseen, a)
	case a.Key != "":
		for _, torn := range x.unseen {
			torn.Key = a.Key
		}
		x.unseen = nil
	}
}

// concerns are the actions that a request may be about which tells of none: those of its
// delivery, where it is a look-up. What it returns holds until the next call.
func (b *builder) concerns(a *attempt, d *delivery) []*action {
	out := b.about[:0]
	switch {
	case a.Changes || d == nil || d.Deliver == nil:
	case len(d.Deliver.Actions) > 0:
		for i := range d.Deliver.Actions {
			out = append(out, b.byName.Get(d.Deliver.Actions[i].Name))
		}
	default:
		// A recovery may look up whatever was handed over before.
		for _, x := range b.actions {
			if x.latest != nil {
				out = append(out, x)
			}
		}
	}
	b.about = out
	return out
}

// breaks reports whether a lost answer is one after which some transports send
// again by themselves: the connection ended before a byte of it arrived.
func (b *builder) breaks(fault string) bool {
	if known := b.broken.Find(fault); known != nil {
		return *known
	}
	_, what, struck := strings.Cut(fault, " "+string(harness.Response)+" ")
	if !struck {
		_, what, _ = strings.Cut(fault, " "+string(harness.Request)+" ")
	}
	name, _, _ := strings.Cut(strings.TrimSuffix(what, "?"), " ")
	breaks := name == "close" || name == "reset" || name == "cut"
	b.broken.Set(fault, breaks)
	return breaks
}
