package lint

import (
	"slices"

	"github.com/retrydrill/drill/harness"
)

var noBound = Rule{
	ID:     "no-bound",
	Doc:    "Neither the number of attempts nor the time is bounded: one request that cannot succeed is sent for ever.",
	Do:     "bound the attempts of one action, over all layers together, and the time",
	Source: "https://sre.google/sre-book/addressing-cascading-failures/",
	check: func(p Policy, t *Target) []note {
		if !p.repeats() && !p.Reconciles || p.Attempts > 0 || p.Budget > 0 || !p.endless(t) {
			return nil
		}
		return []note{{p.AttemptsAt, "neither attempts nor time are bounded"}}
	},
}

// endless reports whether what can come of a request has no bound of its own. A refusal
// for now comes only from a target that gives one, and what is unknown is sent again after
// a look only where something tells.
func (p Policy) endless(t *Target) bool {
	return !p.Bounded || slices.ContainsFunc(p.Endless, func(c harness.Class) bool {
		switch c {
		case harness.RejectedTransient:
			return p.refusedForNow(t)
		case harness.Unknown:
			return len(p.Blind) > 0 || t == nil || tells(t)
		}
		return true
	})
}

// tells reports whether a repeat under a kept key shows what became of a request, or a
// look-up proves that nothing did.
func tells(t *Target) bool {
	return t.Key.Dedups() || t.ProvesAbsence()
}
