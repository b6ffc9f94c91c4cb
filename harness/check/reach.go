package check

import (
	"slices"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/internal/reuse"
)

// hides reports whether the schedule strikes every further request of the action to
// one of these operations, as far as its limit on attempts reaches; where the schedule
// struck all that the limit allows there is none.
func (v *View) hides(a *action, mutation bool) bool {
	if m := v.Schedule.Limits.MaxAttempts; mutation && m > 0 && a.root.mutations >= m && v.allStruck(a.root, func(string) bool { return true }) {
		return true
	}
	return v.strikes(a, mutation, func(point string) bool { return v.meant(point, mutation) })
}

// hidesUndo is hides for what takes back what the action made.
func (v *View) hidesUndo(a *action) bool {
	n := 0
	a.root.has(func(it *item) bool {
		if (it.turn == sends || it.turn == asks) && it.attempt.undo {
			n++
		}
		return false
	})
	if m := v.Schedule.Limits.MaxAttempts; m > 0 && n >= m && v.allStruck(a.root, v.undoes) {
		return true
	}
	return v.strikes(a, true, func(point string) bool {
		return v.undoes(point) || point == harness.AnyOp || point == harness.MutateOp
	})
}

// strikes reports whether the schedule strikes every request that is meant.
func (v *View) strikes(a *action, mutation bool, meant func(point string) bool) bool {
	for i := range v.Schedule.Faults {
		f := &v.Schedule.Faults[i]
		w := &f.Where
		if !w.IsOperation() || w.Action != "" && w.Action != a.name && w.Action != a.root.name {
			continue
		}
		if !meant(w.Point) || !conceals(f) {
			continue
		}
		if w.To == 0 {
			return true
		}
		if limit := v.Schedule.Limits.MaxAttempts; mutation && limit > 0 && w.From == 1 && w.To >= limit {
			return true
		}
	}
	return false
}

// allStruck reports whether the schedule struck every mutation of the intent by these
// operations, so that none was spent by the executor on what it could have known.
func (v *View) allStruck(r *root, by func(op string) bool) bool {
	return !r.has(func(it *item) bool {
		at := it.attempt
		return it.turn == sends && by(at.Op) && !slices.ContainsFunc(v.struck, func(e *harness.Event) bool {
			f, err := harness.ParseFault(e.Fault)
			return e.Attempt == at.Attempt && err == nil && f.Where.IsOperation() && conceals(&f)
		})
	})
}

// meant reports whether a place's point is one of mutations, or of look-ups.
func (v *View) meant(point string, mutation bool) bool {
	switch point {
	case harness.AnyOp:
		return true
	case harness.MutateOp, harness.CreateOp:
		return mutation
	case harness.FindOp:
		return !mutation
	case harness.GetOp, harness.CancelOp:
		return false
	}
	changes := v.seen(point)
	return changes != nil && *changes == mutation
}

// seen says of an operation whether it changed something when it was seen last, or nil.
func (v *View) seen(op string) *bool {
	if len(v.changes.Entries) == 0 {
		for i := range v.room.attempts.Len() {
			a := v.room.attempts.At(i)
			v.changes.Set(a.Op, a.Changes)
		}
	}
	return v.changes.Find(op)
}

// conceals: whoever is struck does not learn what the target says of the action.
func conceals(f *harness.Fault) bool {
	switch f.Name {
	case "duplicate", "restart", "hold", "pause":
		return false
	case "delay":
		return f.D.Symbol != ""
	}
	return true
}

// reachable reports whether the schedule let the last hand-over of the action reach
// the target and end.
func (v *View) reachable(a *action) bool {
	last := a.given[len(a.given)-1].delivery.Delivery
	for i := range v.Schedule.Faults {
		f := &v.Schedule.Faults[i]
		w := &f.Where
		switch {
		case (w.Point == harness.AtReport || w.Point == harness.Ack) && w.To == 0:
			return false
		case w.Point != harness.Deliver || !w.Counts(last):
		case f.Name == "down" || f.Name == "no-name" || f.Name == "no-tls":
			return false
		}
	}
	return true
}

// tellsByLookup reports whether a look-up at the end, or before the review where there
// was one, would show exactly the action's effect, or for sure none.
func (v *View) tellsByLookup(a *action, review *report) bool {
	p := v.promises
	if !v.finds || v.hides(a, false) {
		return false
	}
	lag := max(p.Lookup.Lag, harness.Duration(v.Schedule.Settings.StaleRead.In(v.Schedule.Limits)))
	ours := a.root.effects
	if len(ours) > 0 {
		if review != nil && !p.Lookup.Authoritative && ours[0].seq > review.Seq {
			return false
		}
		if v.ended()-ours[0].At < lag {
			return false
		}
		if a.root.isOf(ours[0].Reference) {
			return !v.copied(a)
		}
		return v.rivals(a) == 0
	}
	if !p.Lookup.Authoritative || v.rivals(a) > 0 {
		return false
	}
	last := a.root.last
	return last == nil || v.ended()-last.At >= max(lag, p.Lookup.MaxInFlight)
}

// rivals counts objects of other makers that a look-up could take for the action's.
func (v *View) rivals(a *action) (n int) {
	could := func(e *harness.Effect) bool {
		if e.BusinessKey != "" && e.BusinessKey != a.businessKey() {
			return false
		}
		return v.promises.UniqueNames || a.root.isOf(e.Reference) || e.Reference == "" && alike(e.Arguments, a.wire())
	}
	for i := range v.foreign.Entries {
		if could(v.foreign.Entries[i].Value.Effect) {
			n++
		}
	}
	for _, e := range v.effects {
		if e.Kind != harness.Undo && (e.action == nil || e.action.root != a.root) && could(e.Effect) {
			n++
		}
	}
	return n
}

// copied reports whether somebody else's object bears the action's reference.
func (v *View) copied(a *action) bool {
	return slices.ContainsFunc(v.foreign.Entries, func(x reuse.Entry[string, *effect]) bool { return a.root.isOf(x.Value.Reference) })
}

// tellsByKey reports whether a repeat under the last key would show the outcome.
func (v *View) tellsByKey(a *action) bool {
	k := &v.promises.Key
	if !v.dedups || v.hides(a, true) || v.promises.UniqueNames && v.rivals(a) > 0 {
		return false
	}
	if m := v.Schedule.Limits.MaxAttempts; m > 0 && max(a.root.mutations, a.root.told) >= m {
		// What the record tells of may have left, and counts.
		return false
	}
	last := a.root.last
	if last == nil {
		// A request that never arrived may have been recorded, and its key be as old.
		noted := a.root.noted
		return noted == nil || !v.expired(noted.At, a.root.handedOver())
	}
	if last.Key == "" || a.root.has(func(it *item) bool {
		return it.turn == sends && it.attempt.Key == last.Key && it.attempt.storedFailure(k)
	}) {
		// Whatever became of the last one: the same would come again.
		return false
	}
	return !v.expired(a.root.firstUnder(last.Key).At, a.root.handedOver())
}

// firstUnder is the intent's first mutation under a key, whichever ID it was sent for.
func (r *root) firstUnder(key string) (first *attempt) {
	for _, a := range r.members {
		if x := a.under(key); x != nil && (first == nil || x.Seq < first.Seq) {
			first = x
		}
	}
	return first
}

// handedOver is when the intent was handed over last, under whichever ID.
func (r *root) handedOver() (at harness.Duration) {
	for _, a := range r.members {
		if n := len(a.given); n > 0 {
			at = max(at, a.given[n-1].delivery.At)
		}
	}
	return at
}

// storedFailure: the target itself failed without telling what it did, and keeps
// that answer under the key.
func (a *attempt) storedFailure(k *harness.KeyPromise) bool {
	e := a.answered
	return k.StoresErrors && e != nil && e.Class == harness.Unknown && (k.InFlight == 0 || e.Status != k.InFlight || e.Code != k.InFlightCode)
}
