package policyfuzz

import (
	"slices"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/policy"
)

// Untried is what is not tried against a policy, since it can not be blamed for what
// comes of it.
type Untried struct {
	// Fault is a word of the vocabulary, or what else is left out.
	Fault string
	// Where says where that holds; empty is everywhere.
	Where string
	Why   string
	holds func(a Arena, p policy.Policy, f harness.Fault) bool
}

// NotTried lists it.
var NotTried = []Untried{
	{"record", "", "a policy says nothing of the executor's own store",
		func(_ Arena, _ policy.Policy, f harness.Fault) bool { return f.Where.Point == harness.Record }},
	{"request delay", "a bound on attempts that the faults of a schedule use up", "the last request that the limits allow would arrive later than the profile promises",
		func(a Arena, p policy.Policy, f harness.Fault) bool {
			return late(f) && (a.few(p.Limits.Attempts) || a.few(p.Limits.PerClass[harness.Unknown]))
		}},
	{"request delay", "a refusal for now ends the action", "absence was proven before the refusal, and the request would arrive later than the profile promises",
		func(a Arena, p policy.Policy, f harness.Fault) bool {
			return late(f) && a.endsForNow(p)
		}},
	{"request delay", "keys are forgotten within a trial", "a request that arrives when its key is forgotten: nobody could call it back",
		func(a Arena, _ policy.Policy, f harness.Fault) bool { return late(f) && a.forgets() }},
	{"deliver elsewhere", "the target keeps no key", "where neither a record nor a key is left, nothing tells of what was refused",
		func(a Arena, _ policy.Policy, f harness.Fault) bool {
			return f.Is("deliver elsewhere") && !a.Promises.Key.Kept
		}},
	{"deliver elsewhere", "a bound on attempts that the faults of a schedule use up", "a machine without the records counts its attempts from one",
		func(a Arena, p policy.Policy, f harness.Fault) bool {
			return f.Is("deliver elsewhere") && (a.few(p.Limits.Attempts) || a.few(p.Limits.PerClass[harness.Unknown]))
		}},
	{"deliver down", "refused connections count as attempts, and leave none for the faults of a schedule", "nothing shows how many there were",
		func(a Arena, p policy.Policy, f harness.Fault) bool {
			return f.Is("deliver down") && a.spentOnRefused(p)
		}},
}

// NotTried gives the reason for which a fault is not tried against a policy, or nothing.
func (a Arena) NotTried(p policy.Policy) func(harness.Fault) string {
	return func(f harness.Fault) string {
		for _, u := range NotTried {
			if u.holds(a, p, f) {
				return u.Why
			}
		}
		if a.Refuses != nil {
			return a.Refuses(f)
		}
		return ""
	}
}

// late: the request arrives after its sender gave up.
func late(f harness.Fault) bool { return f.Is("request delay") || f.Is("request hold") }

// forgets: keys are forgotten within a trial.
func (a Arena) forgets() bool { return a.Schedule.Settings.ForgetKey }

// few: the faults of one schedule use up a bound.
func (a Arena) few(n int) bool { return n > 0 && n <= a.Depth }

// endsForNow: the policy stops at what the target refuses for now, and keeps under no key.
func (a Arena) endsForNow(p policy.Policy) bool {
	move := p.Moves[harness.RejectedTransient]
	return !move.Sends() && move != policy.Reconcile || a.few(p.Limits.PerClass[harness.RejectedTransient]) || slices.ContainsFunc(p.Overrides, func(o policy.Override) bool {
		return o.Mishap == "" && o.Class == harness.RejectedPermanent && a.Promises.Classify(o.Status, o.Code) == harness.RejectedTransient
	})
}

// perDelivery is how many requests the executor makes in one delivery at most, and so
// how many refused connections it counts.
const perDelivery = 4

// spentOnRefused: attempts that never left use up a bound within one delivery, and what
// another fault needs.
func (a Arena) spentOnRefused(p policy.Policy) bool {
	class := p.WithoutAnswer("refused")
	move := p.Moves[class]
	counts := move.Sends() || move == policy.Reconcile
	if class == harness.NeverDispatched {
		counts = counts && move != policy.Automatic
	}
	return counts && (class == harness.Unknown || p.Limits.Attempts > 0 && p.Limits.Attempts < perDelivery+a.Depth || p.Limits.PerClass[class] > 0)
}

// Pairless says where a second fault is not tried, and why.
const (
	PairlessWhere = "keys are forgotten within a trial, at a target without a look-up"
	PairlessWhy   = "a pair may take away the executor's records, or the answer and the key, and no policy helps"
)

// Unended says what of a finding is not held against a policy, and why.
const (
	UnendedWhere = "time alone bounds the policy, and the schedule uses up all hand-overs of a trial"
	UnendedWhy   = "the trial ends before the policy does"
)

// depth is 1 where a pair shows nothing.
func (a Arena) depth() int {
	if a.forgets() && !a.Promises.CanFind() {
		return 1
	}
	return a.Depth
}
