package lint

import (
	"fmt"
	"slices"

	"github.com/retrydrill/drill/harness"
)

var leftToReview = Rule{
	ID:     "left-to-review",
	Doc:    "A person is asked what the target could tell, by a look-up or by a repeat under the kept key: the action has no end until somebody comes.",
	Do:     "reconcile an unknown outcome, leave an attempt to ask by, send again what was never dispatched, and keep needs_review for what nothing can tell",
	Source: "https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-idempotency-key-header-07#section-2.6",
	check: func(p Policy, t *Target) []note {
		var out []note
		for _, r := range p.Reviews {
			switch {
			case r.Class == harness.RejectedTransient && !p.refusedForNow(t):
			case r.Class == harness.RejectedPermanent:
				out = append(out, note{r.Place, r.What + ": the target refused it for good, and nothing was done"})
			case t == nil:
			case t.Key.Dedups() && (p.Attempts != 1 || r.Class == harness.NeverDispatched && t.ProvesAbsence()):
				out = append(out, note{r.Place, fmt.Sprintf("%s, and a repeat under the key would tell: %s keeps it", r.What, t.Profile)})
			case t.CanFind() && (r.Class == harness.Unknown || r.Class == harness.RejectedTransient && p.Attempts != 1 && t.Lookup.Authoritative):
				out = append(out, note{r.Place, fmt.Sprintf("%s, and a look-up at %s would tell", r.What, t.Profile)})
			}
		}
		for _, o := range p.Ends {
			if p.asksByKey(t) && !t.Key.KeepsRefusal(o.Status) && t.Classify(o.Status, o.Code) == harness.RejectedTransient {
				out = append(out, note{o.Place, fmt.Sprintf("status %d ends it while an attempt before is in doubt, and a repeat under the key would tell: %s keeps it", o.Status, t.Profile)})
			}
		}
		for _, o := range p.InDoubt {
			if p.refusesInDoubt(t) && t.Classify(o.Status, o.Code) == harness.RejectedTransient {
				out = append(out, note{o.Place, fmt.Sprintf("status %d counts as an attempt in doubt, although nothing was done, and a refusal that comes after it leaves that open: %s keeps none", o.Status, t.Profile)})
			}
		}
		for _, r := range p.EndsForNow {
			if p.asksByKey(t) && p.hearsBusy(t) {
				out = append(out, note{r.Place, fmt.Sprintf("%s ends it while an attempt before is in doubt, and a repeat under the key would tell: %s keeps it", r.What, t.Profile)})
			}
		}
		return append(out, p.halfDone(t)...)
	},
}

// halfDone finds what ends an undo at a refusal for now: what was made before a step that
// was refused for good stays.
func (p Policy) halfDone(t *Target) (out []note) {
	if p.Attempts == 1 || !p.takesBack(t) {
		return nil
	}
	ends := func(at Place, what string) {
		out = append(out, note{at, fmt.Sprintf("%s ends also what takes a step back after the next one was refused, and another request would: %s takes it later", what, t.Profile)})
	}
	for _, o := range p.Ends {
		if t.Classify(o.Status, o.Code) == harness.RejectedTransient {
			ends(o.Place, "status "+itoa(o.Status))
		}
	}
	if p.hearsBusy(t) {
		for _, r := range slices.Concat(p.StopsForNow, p.EndsForNow) {
			ends(r.Place, r.What)
		}
	}
	return out
}

// refusesInDoubt reports whether a refusal for good may come after an attempt in doubt, at a
// target that does not keep it under the key and can not be looked at.
func (p Policy) refusesInDoubt(t *Target) bool {
	if t == nil || p.Attempts == 1 || !p.Reconciles && len(p.Blind) == 0 ||
		!t.Key.Dedups() || t.ProvesAbsence() {
		return false
	}
	i := slices.IndexFunc(t.Errors, func(e harness.ErrorClass) bool { return e.Class == harness.RejectedPermanent })
	return i >= 0 && !t.Key.KeepsRefusal(t.Errors[i].Status)
}

// asksByKey reports whether nothing but another request under a kept key would tell what
// became of an attempt in doubt, and the policy lets that be asked.
func (p Policy) asksByKey(t *Target) bool {
	// It takes one attempt in doubt, one that is refused, and one to ask by.
	return t != nil && (p.Attempts == 0 || p.Attempts > 2) && (p.Reconciles || len(p.Blind) > 0) &&
		t.Key.Dedups() && !t.ProvesAbsence()
}
