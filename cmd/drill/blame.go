package main

import (
	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/policy"
	"github.com/retrydrill/drill/harness/search"
	"github.com/retrydrill/drill/harness/search/policyfuzz"
)

// policyDepth is how many faults a schedule has at most where it is asked what a policy
// is to blame for.
const policyDepth = 2

// blame is what a user's own policy is held to: what no policy could be blamed for is not
// tried, and not told.
type blame struct {
	arena  policyfuzz.Arena
	policy *policy.Policy
}

// blames leaves out of a search what the policy that the reference executor follows can
// not be blamed for. Another executor is tried with all of it.
func blames(o *search.Options) (blame, error) {
	e := o.Schedule.Executor
	if e.Policy == "" || e.Kind != "builtin" || e.Name != defaultExecutor {
		return blame{}, nil
	}
	p, err := policy.Parse("policy", []byte(e.Policy))
	if err != nil {
		return blame{}, err
	}
	b := blame{policyfuzz.Arena{Schedule: o.Schedule, Promises: o.Promises, Refuses: o.Refuses, Depth: policyDepth}, &p}
	o.Refuses = b.arena.NotTried(p)
	return b, nil
}

func (b blame) world(w harness.World) harness.World {
	if b.policy == nil {
		return w
	}
	return b.arena.Blamed(w, *b.policy)
}

func (b blame) excuses(f search.Finding) bool {
	return b.policy != nil && b.arena.Excused(*b.policy, f)
}
