package policyfuzz

import (
	"slices"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/policy"
)

// Quiet is a rule whose harm no schedule of one action shows.
type Quiet struct {
	Rule string
	// Where says where that holds; empty is everywhere.
	Where string
	Why   string
	holds func(a Arena, p policy.Policy) bool
}

// Unshown lists them.
var Unshown = []Quiet{
	{"no-backoff", "", "it burdens a target that many clients ask; one action's effects stay right", nil},
	{"no-jitter", "", "it brings many clients back at one time; one action's effects stay right", nil},
	{"laxer-class", "", "the line has no effect: the executor keeps the profile's class", nil},
	{"hedged", "", "drill's own policy has no word for a second copy", nil},
	{"confirmed-repeated", "IDs that the client chooses, or unique names", "the target refuses a second effect",
		func(a Arena, _ policy.Policy) bool { return a.Promises.ClientIDs || a.Promises.UniqueNames }},
	{"confirmed-repeated", "a look-up and no kept key", "the executor looks before it sends, and finds the effect",
		func(a Arena, _ policy.Policy) bool { return a.looksFirst() }},
	{"confirmed-repeated", "a kept key and no look-up, one fault a schedule", "the key answers the repeats: it takes two lost answers to spend the attempts on them",
		func(a Arena, _ policy.Policy) bool {
			return a.Promises.Key.Kept && !a.Promises.CanFind() && a.depth() < 2
		}},
	{"unsent-given-up", "a look-up and no kept key", "the executor looks before it sends, and a target that is down refuses the look",
		func(a Arena, _ policy.Policy) bool { return a.looksFirst() }},
	{"beyond-retention", "keys are kept for longer than a trial", "it is shown where trials forget them sooner",
		func(a Arena, _ policy.Policy) bool { return !a.forgets() }},
	{"left-to-review", "keys are forgotten within a trial, at a target without a look-up that proves absence", "the last delivery of a trial comes when the key is forgotten, and nothing tells any more",
		func(a Arena, _ policy.Policy) bool {
			return a.forgets() && !a.Promises.ProvesAbsence()
		}},
	{"left-to-review", "a look-up and no kept key, where a refused connection alone counts as a refusal for now", "the executor looks before it sends, and a target that is down refuses the look",
		func(a Arena, p policy.Policy) bool {
			return a.looksFirst() && a.busyAs(p) < 0 && p.WithoutAnswer("refused") == harness.RejectedTransient
		}},
	{"confirmed-repeated", "a kept key, where time alone bounds the policy, or more attempts than are usual", "the key answers the repeats, and the trial ends before the policy does",
		func(a Arena, p policy.Policy) bool {
			return a.Promises.Key.Kept && (timeAlone(p) || p.Limits.Attempts > a.Schedule.Limits.MaxAttempts)
		}},
	{"confirmed-repeated", "a kept key and no look-up, and a bound on unknown outcomes that the faults of a schedule use up", "the key answers the repeats, and where their answers are lost it is that bound that ends them",
		func(a Arena, p policy.Policy) bool {
			return a.Promises.Key.Kept && !a.Promises.CanFind() && a.few(p.Limits.PerClass[harness.Unknown])
		}},
	{"never-looked-up", UnendedWhere, UnendedWhy, func(_ Arena, p policy.Policy) bool { return timeAlone(p) }},
	{"no-bound", "what never leaves is all that is sent without a bound, or what is unknown where nothing tells once the key is forgotten", "no request arrives that could be counted, or a person is asked in the end",
		func(a Arena, p policy.Policy) bool { return !a.endless(p) }},
}

// looksFirst: the executor looks before it sends, since no key would stop a repeat.
func (a Arena) looksFirst() bool { return !a.Promises.Key.Kept && a.Promises.CanFind() }

// endless: what arrives at the target is sent again without a bound of its class.
func (a Arena) endless(p policy.Policy) bool {
	return slices.ContainsFunc(harness.Classes, func(c harness.Class) bool {
		move := p.Moves[c]
		switch {
		case p.Limits.PerClass[c] > 0 || !move.Sends() && move != policy.Reconcile || c == harness.NeverDispatched:
			return false
		case c == harness.Confirmed && move == policy.Reconcile:
			// What was confirmed is looked at, and not sent again.
			return false
		case c == harness.RejectedTransient:
			return a.busyAs(p) >= 0
		case c == harness.Unknown && move == policy.Reconcile:
			return a.Promises.Key.Kept && !a.forgets() || a.Promises.ProvesAbsence()
		}
		return true
	})
}

// Everywhere is the reason for which no schedule at any target shows a rule's harm, or
// nothing.
func Everywhere(rule string) string {
	for _, q := range Unshown {
		if q.Rule == rule && q.holds == nil {
			return q.Why
		}
	}
	return ""
}

// unshown is the reason for which a rule's finding is not looked for here, or nothing.
func (a Arena) unshown(rule string, p policy.Policy) string {
	for _, q := range Unshown {
		if q.Rule == rule && (q.holds == nil || q.holds(a, p)) {
			return q.Why
		}
	}
	return ""
}
