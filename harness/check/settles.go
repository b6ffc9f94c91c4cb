package check

import (
	"slices"

	"github.com/retrydrill/drill/harness"
)

// settles: an action ends at done or rejected as long as the target can tell and
// the schedule lets it be asked. needs_review is for what nobody can tell.
//
// Where nothing was done, or a part is missing, and the schedule strikes every further
// mutation, no end is expected: to go on trying is as right as to stop.
func settles(v *View) (f Finding) {
	if v.cutShort() {
		return f
	}
	for _, a := range v.actions {
		if len(a.given) == 0 || a.isAlias() {
			continue
		}
		f.Inspected++
		last := lastCounted(a.reports)
		if last == nil {
			// What became of it may be told under another ID of the intent.
			last = lastCounted(a.root.reports)
		}
		if ends(last) || v.endsAsAnother(a) || v.excused(a, last) {
			continue
		}
		told := v.told(a, last)
		if told == "" {
			continue
		}
		observed := "no report that counts"
		at := a.given[len(a.given)-1].delivery.Seq
		if last != nil {
			observed, at = "it ends at "+string(last.Report.Outcome), last.Seq
		}
		f.breach(a.name, "done or rejected, since "+told, observed, at)
	}
	return f
}

// ends: the report says that nothing more is to come.
func ends(r *report) bool {
	return r != nil && (r.Report.Outcome == harness.Done || r.Report.Outcome == harness.Rejected)
}

// endsAsAnother: the producer minted the intent twice, and it ended under the other
// ID.
func (v *View) endsAsAnother(a *action) bool {
	for _, b := range v.actions {
		if b != a && b.root == a.root && ends(lastCounted(b.reports)) {
			return true
		}
	}
	return false
}

// excused: the last hand-over was not covered by an approval, or what it waits for
// after a refusal is a person's.
func (v *View) excused(a *action, last *report) bool {
	if !a.given[len(a.given)-1].Covered || !v.reachable(a) {
		return true
	}
	return last != nil && last.Report.Outcome == harness.Waiting && last.Report.WaitsFor == harness.ForApproval && len(last.standing.refused) > 0
}

// told says how the target could tell, or nothing. What was refused for good is not
// asked for again, so that after a refusal that tells nothing of an earlier attempt
// only a look-up is left. What could not be taken back, and what died with the worker
// that heard it, is a person's; so is what was handed to one before there was anything
// to find, and what a look-up showed twice under the action's own reference: a kept key
// may tell which of them it made, and nobody but a person why there are two.
func (v *View) told(a *action, end *report) string {
	last := a.root.last
	refused := last != nil && last.knownTo(end) && last.class == harness.RejectedPermanent
	switch {
	case refused && v.halfDone(a):
		return ""
	case refused && (v.steps || a.root.told <= a.root.requests(last)) && (v.tellsOfKey(last) || a.root.nothingElse(last, end)):
		return "the target refused it for good"
	case a.root.confirmed(end, a.review(end)):
		return "the target confirmed it"
	case a.root.sawNamesakes():
		return ""
	case !refused && v.tellsByKey(a):
		return "a repeat under the kept key would tell"
	case v.tellsByLookup(a, a.review(end)) && (len(v.missing(a.root)) == 0 || !v.hides(a, true)):
		return "a look-up would tell"
	}
	return ""
}

// knownTo: the answer was heard, and who made the report could know of it.
func (a *attempt) knownTo(end *report) bool {
	return a.sure() && !a.forgotten && (end == nil || end.store == a.store)
}

// confirmed: an attempt at what was last asked for was, whatever became of later ones, and
// who handed the action to a person could know of it.
func (r *root) confirmed(end, review *report) bool {
	return r.last != nil && r.has(func(it *item) bool {
		at := it.attempt
		return it.turn == gets && at.class == harness.Confirmed && at.operation() == r.last.operation() && at.knownTo(end) &&
			(review == nil || at.life == review.life || at.saved < review.Seq)
	})
}

// sawNamesakes: the last look-up of a step that told anything showed several under its
// reference.
func (r *root) sawNamesakes() bool {
	last := map[string]*lookup{}
	r.has(func(it *item) bool {
		if l := it.lookup; l != nil && l.tells != tellsNothing {
			if before := last[it.attempt.Op]; before == nil || l.ended > before.ended {
				last[it.attempt.Op] = l
			}
		}
		return false
	})
	for _, l := range last {
		if l.tells == tellsNamesakes {
			return true
		}
	}
	return false
}

// review is the report with which a person was asked first, out of the records that the
// last report came from, or nil.
func (a *action) review(end *report) *report {
	for _, r := range a.reports {
		if end != nil && r.Report.Outcome == harness.NeedsReview && r.store == end.store {
			return r
		}
	}
	return nil
}

// halfDone: a part of it stands that the target refused for good to take back, or was not
// let hear of it.
func (v *View) halfDone(a *action) bool {
	return slices.ContainsFunc(a.root.effects, func(e *effect) bool { return e.undone == nil }) &&
		(v.hidesUndo(a) || a.root.has(func(it *item) bool {
			return (it.turn == gets || it.turn == reads) && it.attempt.undo && it.attempt.class == harness.RejectedPermanent
		}))
}

// nothingElse: every earlier attempt at the operation is known to who made the report to
// have done nothing, and the record tells of none that the wire does not show.
func (r *root) nothingElse(last *attempt, end *report) bool {
	return !r.has(func(it *item) bool {
		at := it.attempt
		return it.turn == sends && !at.oneCall(last) && at.operation() == last.operation() &&
			!(at.class.Rejected() && at.knownTo(end))
	}) && last.recorded <= r.requests(last)
}

// oneCall: it is the other, or the transport sent both for one call.
func (a *attempt) oneCall(b *attempt) bool {
	return a == b || b.resends == a || a.resends != nil && (a.resends == b || a.resends == b.resends)
}

// requests counts the attempts at an operation up to one of them.
func (r *root) requests(last *attempt) (n int) {
	r.has(func(it *item) bool {
		if it.turn == sends && it.Seq <= last.Seq && it.attempt.operation() == last.operation() {
			n++
		}
		return false
	})
	return n
}

// cutShort: the trial was ended before its deliveries were used up.
func (v *View) cutShort() bool {
	return slices.ContainsFunc(v.aside, func(e *harness.Event) bool { return e.Kind == harness.EvBound && e.Delivery == 0 })
}
