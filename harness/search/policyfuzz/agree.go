package policyfuzz

import (
	"context"
	"fmt"
	"slices"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/policy"
	"github.com/retrydrill/drill/harness/policy/lint"
	"github.com/retrydrill/drill/harness/search"
)

// Arena is where policies are judged: an executor that follows them, at one target.
type Arena struct {
	World harness.World
	// Schedule is the fault-free run; its executor follows the policy that is judged.
	Schedule harness.Schedule
	Promises harness.Promises
	// Ops are the operations that change something, by name.
	Ops []string
	// Carries and Refuses are as in [search.Options].
	Carries func(harness.Fault) bool
	Refuses func(harness.Fault) string
	// Depth is how many faults a schedule has at most, and Parallel how many run at
	// once, as in [search.Options].
	Depth, Parallel int
}

// Judged is what both judges say about one policy.
type Judged struct {
	Target string `json:"target"`
	// Policy is the document.
	Policy string         `json:"policy"`
	Lint   []lint.Finding `json:"lint"`
	// Found are the schedules that break it, one a set of broken invariants.
	Found []search.Finding `json:"found"`
	// Ran counts the schedules that were run.
	Ran int `json:"ran"`
	// Disagrees says how the two differ, or is empty.
	Disagrees string `json:"disagrees,omitempty"`
}

// target is what lint is told: the promises, with the retention that trials have where
// keys are forgotten.
func (a Arena) target() *harness.Promises {
	p := a.Promises
	if a.forgets() {
		p.Key.Retention = a.Schedule.Limits.Retention
	}
	return &p
}

// Judge asks both. The error is one of the world, or the context's.
func (a Arena) Judge(ctx context.Context, p policy.Policy) (Judged, error) {
	text, err := p.YAML()
	if err != nil {
		return Judged{}, err
	}
	_, read, err := lint.Read("policy", text, "drill")
	if err != nil {
		return Judged{}, fmt.Errorf("a drawn policy: %w", err)
	}
	j := Judged{Target: a.Promises.Profile, Policy: string(text), Lint: lint.Lint(read, a.target())}
	s := a.Schedule
	s.Executor.Policy = j.Policy
	s.Limits.MaxAttempts = p.Limits.Expected(s.Limits.MaxAttempts)
	a.World = a.Blamed(a.World, p)
	for _, lines := range a.sweeps(s, p) {
		if err := a.sweep(ctx, s, lines, &j); err != nil {
			return j, err
		}
	}
	// What one fault shows needs no second.
	for depth := 1; depth <= a.depth() && len(j.Found) == 0; depth++ {
		r, err := search.Explore(ctx, search.Options{World: a.World, Schedule: s, Promises: a.Promises, Depth: depth, Workers: 1,
			Deliveries: handOvers(p, s), Parallel: a.Parallel, Carries: a.Carries, Refuses: a.NotTried(p)})
		if err != nil {
			return j, err
		}
		j.Found, j.Ran = append(j.Found, r.Findings...), j.Ran+r.Ran
	}
	j.Disagrees = a.disagrees(j, p)
	return j, nil
}

func (a Arena) sweep(ctx context.Context, s harness.Schedule, lines []harness.Fault, j *Judged) error {
	s.Faults = slices.Concat(s.Faults, lines)
	if s.Validate() != nil {
		return nil
	}
	h, verdict, err := search.Judged(ctx, a.World, s)
	if err != nil {
		return fmt.Errorf("schedule %q: %w", lines, err)
	}
	j.Ran++
	broken := search.Broken(verdict)
	if verdict.Verdict != harness.Unsafe || slices.ContainsFunc(j.Found, func(f search.Finding) bool { return slices.Equal(f.Invariants, broken) }) {
		return nil
	}
	j.Found = append(j.Found, search.Finding{Invariants: broken, Violations: verdict.Violations, Schedule: s, Times: 1, History: h})
	return nil
}

// disagrees holds the judges against each other.
func (a Arena) disagrees(j Judged, p policy.Policy) string {
	explained := false
	for _, f := range j.Lint {
		explained = explained || Everywhere(f.Rule) == ""
		if a.unshown(f.Rule, p) == "" && len(j.Found) == 0 {
			return fmt.Sprintf("lint finds %s, and no schedule breaks the policy", f.Rule)
		}
	}
	if len(j.Found) > 0 && !explained {
		return fmt.Sprintf("lint finds nothing that a schedule shows, and one breaks %v", j.Found[0].Invariants)
	}
	return ""
}
