package check

import "github.com/retrydrill/drill/harness"

// reconcileFirst: after an unknown outcome a read is answered before the same thing
// is asked for again, unless the target makes the repeat harmless. Whoever sent the
// first one, this worker or one before it, the repeat is the executor's.
func reconcileFirst(v *View) (f Finding) {
	for _, a := range v.actions {
		ops := map[string]*outstanding{}
		first := map[string]harness.Duration{}
		looked := map[string]bool{}
		for _, it := range a.line {
			at := it.attempt
			switch {
			case at == nil:
			case !at.Changes:
				if it.Kind == harness.EvPassed && at.class.Definite() {
					for op, open := range ops {
						if old := open.oldest(); old != nil && old.Seq < at.Seq {
							looked[op] = true
						}
						open.closeBefore(at.Seq)
					}
					if v.promises.Lookup.Authoritative && len(it.Found) == 0 {
						// Nothing is there: a key that is used again is new to the target.
						clear(first)
					}
				}
			case it.Kind == harness.EvPassed:
				if open := ops[at.operation()]; open != nil {
					v.resolves(open, at)
				}
			case it.Kind == harness.EvRequest:
				open := ops[at.operation()]
				if open == nil {
					open = &outstanding{}
					ops[at.operation()] = open
				}
				if _, used := first[at.Key]; !used {
					first[at.Key] = at.At
				}
				if looked[at.operation()] {
					// A repeat that a read came before is what is asked for, and counts.
					f.Inspected++
					delete(looked, at.operation())
				}
				if old := open.oldest(); old != nil {
					f.Inspected++
					if !v.repeats(old, at, first[at.Key]) {
						f.breach(a.name, "an answered read between an unknown outcome and the next mutation", "mutated again", old.Seq, old.end(), at.Seq)
						open.clear()
					}
				}
				open.add(at)
			}
		}
	}
	return f
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
