package check

import (
	"slices"

	"github.com/retrydrill/drill/harness"
)

// classKept: the outcome of a report is what the profile gives to the answer that
// decided it, and so is its error class, if it names one of [harness.Classes].
func classKept(v *View) (f Finding) {
	for _, r := range v.reports {
		if !r.counted || r.action == nil || r.standing.mutations == 0 {
			continue
		}
		f.Inspected++
		expected, observed := v.outcomeKept(r)
		if expected == "" {
			expected, observed = v.classNamed(r)
		}
		if expected != "" {
			f.breach(r.action.name, expected, observed, r.standing.decided.seq(), r.standing.open.seq(), r.Seq)
		}
	}
	return f
}

// outcomeKept compares the outcome with the answers. A step that was confirmed is not the
// effect: where there are several, it is only where all of them stood at the report.
func (v *View) outcomeKept(r *report) (expected, observed string) {
	s := &r.standing
	switch r.Report.Outcome {
	case harness.Done:
		if s.shown || s.unsure {
			return "", ""
		}
		if s.decided != nil && s.decided.class == harness.RejectedPermanent {
			if v.promises.ClientIDs {
				// The ID is the action's own: that it is taken shows the effect.
				return "", ""
			}
			return "a permanent rejection reported as rejected", "reported as done"
		}
		return "an unknown outcome kept until an answer shows the effect", "reported as done"
	case harness.Rejected:
		switch {
		case s.unsure, !r.given.covered():
		case s.decided != nil && s.decided.class == harness.Confirmed && s.decided.sure() && (!v.steps || len(v.missingAt(r.action.root, r.Seq)) == 0):
			return "a confirmed effect reported as done", "reported as rejected"
		case v.spent(s), r.Report.ErrorClass == harness.AttemptsSpent:
		case s.open != nil, s.own == 0 && s.unknown && len(s.refused) == 0 && !r.toldBeside(harness.Class.Rejected):
			return "an unknown outcome kept until an answer shows that nothing was done", "reported as rejected"
		}
	}
	return "", ""
}

// classNamed compares a named error class with the classes that were there.
func (v *View) classNamed(r *report) (expected, observed string) {
	s, named := &r.standing, harness.Class(r.Report.ErrorClass)
	if named == "" || !slices.Contains(harness.Classes, named) || s.unsure || !r.given.covered() {
		return "", ""
	}
	observed = "error class " + string(named)
	if named == harness.NeverDispatched {
		if s.own > 0 && !v.mayRefuse() {
			return "the class of a request that was dispatched", observed
		}
		return "", ""
	}
	allowed := s.classes.has(named)
	if r.Report.Outcome == harness.Done && named == harness.Confirmed {
		allowed = true
	}
	if r.Report.Outcome == harness.Rejected && s.decided != nil {
		allowed = named == s.decided.class || named == s.last || s.latest != nil && named == s.latest.class
	}
	if !allowed && (s.own > 0 || !r.toldBeside(func(c harness.Class) bool { return c == named })) {
		want := s.last
		if s.decided != nil {
			want = s.decided.class
		}
		if want == "" {
			want = harness.Unknown
		}
		return "error class " + string(want), observed
	}
	return "", ""
}

// toldBeside reports whether a mutation for the intent, under another ID than the report's,
// was answered so before: what is recorded of an intent is known under each of its IDs.
func (r *report) toldBeside(so func(harness.Class) bool) bool {
	return slices.ContainsFunc(r.action.root.members, func(a *action) bool {
		return a != r.action && a.has(func(it *item) bool {
			return it.Kind == harness.EvPassed && it.Seq < r.Seq && it.attempt.Changes && so(it.attempt.class)
		})
	})
}

// mayRefuse: at some time connections may have been refused, or a request was torn,
// which nothing numbers.
func (v *View) mayRefuse() bool {
	s := v.Schedule
	if s.Has("deliver down") || s.Has("deliver no-name") || s.Has("deliver no-tls") {
		return true
	}
	return slices.ContainsFunc(s.Faults, func(f harness.Fault) bool { return f.Name == "cut" })
}
