package policyfuzz

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/check"
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
	if a.Schedule.Settings.ForgetKey {
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
	s.Limits.MaxAttempts = declared(p, s.Limits.MaxAttempts)
	for _, line := range a.sweeps(s, p) {
		if err := a.sweep(ctx, s, line, &j); err != nil {
			return j, err
		}
	}
	// What one fault shows needs no second.
	for depth := 1; depth <= a.depth() && len(j.Found) == 0; depth++ {
		r, err := search.Explore(ctx, search.Options{World: a.World, Schedule: s, Promises: a.Promises, Depth: depth, Workers: 1,
			Parallel: a.Parallel, Carries: a.Carries, Refuses: a.refuses(p)})
		if err != nil {
			return j, err
		}
		j.Found, j.Ran = append(j.Found, r.Findings...), j.Ran+r.Ran
	}
	j.Found = slices.DeleteFunc(j.Found, func(f search.Finding) bool { return spent(p, f) })
	j.Disagrees = a.disagrees(j)
	return j, nil
}

// refuses leaves out what no policy can be blamed for, where so few attempts are
// allowed that the faults of a schedule use them up: the last one arrives later than
// the profile says that it can, and a machine without the records counts anew.
func (a Arena) refuses(p policy.Policy) func(harness.Fault) string {
	few := func(n int) bool { return n > 0 && n <= a.Depth }
	return func(f harness.Fault) string {
		switch {
		case f.Where.Point == harness.Record:
			return "a policy says nothing of the executor's own store"
		case f.Is("request delay") && (few(p.Limits.Attempts) || few(p.Limits.PerClass[harness.Unknown])):
			return "the last request that the limits allow would arrive later than the profile promises"
		case f.Is("request delay") && a.Schedule.Settings.ForgetKey:
			return "a request that arrives when its key is forgotten: nobody could call it back"
		case f.Is("deliver elsewhere") && !a.Promises.Key.Kept:
			return "where neither a record nor a key is left, nothing tells of what was refused"
		case f.Is("deliver elsewhere") && few(p.Limits.Attempts):
			return "a machine without the records counts its attempts from one"
		case f.Is("deliver down") && countsRefused(p):
			return "refused connections count as attempts, and nothing shows how many there were"
		case a.Refuses != nil:
			return a.Refuses(f)
		}
		return ""
	}
}

// spent: the policy's own bound on unknown outcomes is used up, and to hand the action
// to a person is all that it leaves. A schedule declares no bound by class, so that the
// check can not know.
func spent(p policy.Policy, f search.Finding) bool {
	bound := p.Limits.PerClass[harness.Unknown]
	if bound == 0 || p.Moves[harness.Unknown] != policy.Reconcile || p.Moves[harness.RejectedPermanent] != policy.Stop || !slices.Equal(f.Invariants, []string{"settles"}) || f.History == nil {
		return false
	}
	n := 0
	for _, e := range f.History.Events {
		if e.Kind == harness.EvRequest && e.Changes && !e.Copy {
			n++
		}
	}
	return n >= bound
}

// countsRefused: attempts that never left use up the bound within one delivery.
func countsRefused(p policy.Policy) bool {
	class := p.WithoutAnswer("refused")
	move := p.Moves[class]
	counts := move.Sends() || move == policy.Reconcile
	if class == harness.NeverDispatched {
		counts = counts && move != policy.Automatic
	}
	return counts && (class == harness.Unknown || p.Limits.Attempts > 0 && p.Limits.Attempts < 5 || p.Limits.PerClass[class] > 0)
}

// depth is 1 where a key is all that tells and is forgotten within a trial: a pair there
// may take away the executor's records or the answer, and no policy helps.
func (a Arena) depth() int {
	if a.Schedule.Settings.ForgetKey && !a.Promises.CanFind() {
		return 1
	}
	return a.Depth
}

// declared is how many mutations of one action are expected at most: what the policy
// says itself. One that bounds the time alone is held to no number, one that bounds
// nothing to what the schedule declares.
func declared(p policy.Policy, otherwise int) int {
	switch l := p.Limits; {
	case l.Attempts > 0:
		return l.Attempts
	case l.Budget > 0 || l.PerClass[harness.RejectedTransient]+l.PerClass[harness.Unknown] > 0:
		return 0
	}
	return otherwise
}

// sweeps are lines that strike every crossing of an operation from the first on: a
// bound is only seen where nothing ever succeeds.
func (a Arena) sweeps(s harness.Schedule, p policy.Policy) []harness.Fault {
	var out []harness.Fault
	for _, op := range a.Ops {
		out = append(out, a.busy(op, p)...)
		for _, side := range []harness.Side{harness.Request, harness.Target, harness.Response} {
			where := harness.Where{Point: op, Side: side, From: 1}
			for _, f := range search.At(s, a.Promises, where, true) {
				if f.Name == "kill" || f.Name == "duplicate" || f.Name == "restart" || f.Is("request delay") ||
					a.Carries != nil && !a.Carries(f) || a.Refuses != nil && a.Refuses(f) != "" {
					continue
				}
				out = append(out, f)
			}
		}
	}
	return out
}

// busy are answers that the target is busy: one alone, and one that says when to come
// back, which is later than the policy's own first wait and within a delivery.
func (a Arena) busy(op string, p policy.Policy) (out []harness.Fault) {
	i := slices.IndexFunc(a.Promises.Errors, func(e harness.ErrorClass) bool {
		return e.Code == "" && p.OfAnswer(a.Promises, e.Status, harness.Answered{}) == harness.RejectedTransient
	})
	if i < 0 {
		return nil
	}
	for _, after := range []time.Duration{0, (p.Limits.Backoff.Ceiling(1) + time.Second).Truncate(time.Second)} {
		f := harness.Fault{Where: harness.Where{Point: op, Side: harness.Request, From: 1, To: 1}, Name: "status",
			N: a.Promises.Errors[i].Status, RetryAfter: harness.Span{D: after}}
		if a.Carries == nil || a.Carries(f) {
			out = append(out, f)
		}
	}
	return out
}

func (a Arena) sweep(ctx context.Context, s harness.Schedule, line harness.Fault, j *Judged) error {
	s.Faults = append(slices.Clone(s.Faults), line)
	if s.Validate() != nil {
		return nil
	}
	h, err := a.World.Run(ctx, s)
	if err != nil {
		return fmt.Errorf("schedule %q: %w", line, err)
	}
	j.Ran++
	verdict := check.Judge(h)
	broken := search.Broken(verdict)
	if verdict.Verdict != harness.Unsafe || slices.ContainsFunc(j.Found, func(f search.Finding) bool { return slices.Equal(f.Invariants, broken) }) {
		return nil
	}
	j.Found = append(j.Found, search.Finding{Invariants: broken, Violations: verdict.Violations, Schedule: s, Times: 1, History: h})
	return nil
}

// disagrees holds the judges against each other.
func (a Arena) disagrees(j Judged) string {
	explained := false
	for _, f := range j.Lint {
		explained = explained || Unshown[f.Rule] == ""
		if a.unshown(f.Rule) == "" && len(j.Found) == 0 {
			return fmt.Sprintf("lint finds %s, and no schedule breaks the policy", f.Rule)
		}
	}
	if len(j.Found) > 0 && !explained {
		return fmt.Sprintf("lint finds nothing that a schedule shows, and one breaks %v", j.Found[0].Invariants)
	}
	return ""
}
