package check

import (
	"slices"

	"github.com/retrydrill/drill/harness"
)

// settles: an action ends at done or rejected as long as the target can tell and
// the schedule lets it be asked. needs_review is for what nobody can tell.
//
// Where nothing was done and the schedule strikes every further mutation, no end is
// expected: to go on trying is as right as to stop.
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
		if ends(last) || v.endsAsAnother(a) || v.excused(a, last) {
			continue
		}
		told := v.told(a)
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

// told says how the target could tell, or nothing. A refusal tells of an earlier
// attempt only where it came under the same kept key.
func (v *View) told(a *action) string {
	switch last := a.last; {
	case last != nil && last.class == harness.RejectedPermanent && last.sure() && (a.mutations == 1 || v.tellsOfKey(last)):
		return "the target refused it for good"
	case last != nil && last.class == harness.Confirmed && last.sure():
		return "the target confirmed it"
	case v.tellsByKey(a):
		return "a repeat under the kept key would tell"
	case v.tellsByLookup(a) && (len(a.root.effects) > 0 || !v.hides(a, true)):
		return "a look-up would tell"
	}
	return ""
}

// cutShort: the trial was ended before its deliveries were used up.
func (v *View) cutShort() bool {
	return slices.ContainsFunc(v.aside, func(e *harness.Event) bool { return e.Kind == harness.EvBound && e.Delivery == 0 })
}
