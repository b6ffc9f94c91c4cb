package check

import (
	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/internal/reuse"
)

// reconcileFirst: after an unknown outcome a read is answered before the same thing
// is asked for again, unless the target makes the repeat harmless. Whoever sent the
// first one, this worker or one before it, the repeat is the executor's.
func reconcileFirst(v *View) (f Finding) {
	w := &v.room.reads
	for _, a := range v.actions {
		if a.sent < 2 {
			continue
		}
		w.reset(v, a)
		for i := range a.line {
			w.step(&a.line[i])
		}
		f.add(&w.f)
	}
	return f
}

// readWalk follows what is not known of one action, and what was read since.
type readWalk struct {
	*View
	f   Finding
	a   *action
	ops reuse.Table[string, readOp]
	// first is the first use of each key.
	first reuse.Table[string, *attempt]
}

type readOp struct {
	open outstanding
	// looked: a read came after what is not known.
	looked bool
}

// reset begins another action.
func (w *readWalk) reset(v *View, a *action) {
	w.View, w.a, w.f = v, a, Finding{}
	w.ops.Reset()
	w.first.Reset()
}

func (w *readWalk) step(it *item) {
	at := it.attempt
	switch it.turn {
	case reads:
		if at.class.Definite() {
			w.read(at, len(it.Found) == 0 || it.lookup != nil && it.lookup.tells == tellsAbsent)
		}
	case gets:
		if op := w.ops.Find(at.operation()); op != nil {
			w.resolves(&op.open, at)
		}
	case sends:
		w.request(at)
	}
}

// read is an answered one; nothing: it found nothing of the action.
func (w *readWalk) read(at *attempt, nothing bool) {
	for i := range w.ops.Entries {
		op := &w.ops.Entries[i].Value
		if old := op.open.oldest(); old != nil && old.Seq < at.Seq {
			op.looked = true
		}
		op.open.closeBefore(at.Seq)
	}
	if w.promises.Lookup.Authoritative && nothing {
		// Nothing is there: a key that is used again is new to the target.
		w.first.Reset()
	}
}

func (w *readWalk) request(at *attempt) {
	op, first := w.ops.At(at.operation()), w.first.At(at.Key)
	if *first == nil {
		*first = at
	}
	if op.looked {
		// A repeat that a read came before is what is asked for, and counts.
		w.f.Inspected++
		op.looked = false
	}
	if old := op.open.oldest(); old != nil {
		w.f.Inspected++
		if !w.repeats(old, at, (*first).At) {
			w.f.breach(w.a.name, "an answered read between an unknown outcome and the next mutation", "mutated again", old.Seq, old.end(), at.Seq)
			op.open.clear()
		}
	}
	op.open.add(at)
}

// repeats reports whether the second attempt is a harmless repeat of the first.
func (v *View) repeats(old, at *attempt, first harness.Duration) bool {
	if !v.harmless(at.Key, first, at.At) || !alike(old.Arguments, at.Arguments) {
		return false
	}
	return v.promises.ClientIDs || v.promises.UniqueNames || old.Key == at.Key
}

// end is the event with which an attempt ended for the worker, or 0.
func (a *attempt) end() int {
	switch {
	case a.lost != nil:
		return a.lost.Seq
	case a.passed != nil:
		return a.passed.Seq
	}
	return 0
}
