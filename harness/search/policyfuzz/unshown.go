package policyfuzz

import "github.com/retrydrill/drill/harness"

// Quiet is a rule whose harm no schedule of one action shows.
type Quiet struct {
	Rule string
	// Where says where that holds; empty is everywhere.
	Where string
	Why   string
	holds func(a Arena, t harness.Promises) bool
}

// Unshown lists them.
var Unshown = []Quiet{
	{"no-backoff", "", "it burdens a target that many clients ask; one action's effects stay right", nil},
	{"no-jitter", "", "it brings many clients back at one time; one action's effects stay right", nil},
	{"laxer-class", "", "the line has no effect: the executor keeps the profile's class", nil},
	{"hedged", "", "drill's own policy has no word for a second copy", nil},
	{"confirmed-repeated", "IDs that the client chooses, or unique names", "the target refuses a second effect",
		func(_ Arena, t harness.Promises) bool { return t.ClientIDs || t.UniqueNames }},
	{"confirmed-repeated", "a look-up and no kept key", "the executor looks before it sends, and finds the effect",
		func(_ Arena, t harness.Promises) bool { return !t.Key.Kept && t.CanFind() }},
	{"confirmed-repeated", "a kept key and no look-up, one fault a schedule", "the key answers the repeats: it takes two lost answers to spend the attempts on them",
		func(a Arena, t harness.Promises) bool { return t.Key.Kept && !t.CanFind() && a.depth() < 2 }},
	{"unsent-given-up", "a look-up and no kept key", "the executor looks before it sends, and a target that is down refuses the look",
		func(_ Arena, t harness.Promises) bool { return !t.Key.Kept && t.CanFind() }},
	{"beyond-retention", "keys are kept for longer than a trial", "it is shown where trials forget them sooner",
		func(a Arena, _ harness.Promises) bool { return !a.forgets() }},
	{"left-to-review", "keys are forgotten within a trial, at a target without a look-up that proves absence", "the last delivery of a trial comes when the key is forgotten, and nothing tells any more",
		func(a Arena, t harness.Promises) bool {
			return a.forgets() && !(t.CanFind() && t.Lookup.Authoritative)
		}},
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
func (a Arena) unshown(rule string) string {
	for _, q := range Unshown {
		if q.Rule == rule && (q.holds == nil || q.holds(a, a.Promises)) {
			return q.Why
		}
	}
	return ""
}
