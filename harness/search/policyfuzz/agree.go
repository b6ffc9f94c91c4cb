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
	s.Limits.MaxAttempts = declared(p, s.Limits.MaxAttempts)
	for _, lines := range a.sweeps(s, p) {
		if err := a.sweep(ctx, s, lines, &j); err != nil {
			return j, err
		}
	}
	// What one fault shows needs no second.
	for depth := 1; depth <= a.depth() && len(j.Found) == 0; depth++ {
		r, err := search.Explore(ctx, search.Options{World: a.World, Schedule: s, Promises: a.Promises, Depth: depth, Workers: 1,
			Parallel: a.Parallel, Carries: a.Carries, Refuses: func(f harness.Fault) string { return a.notTried(p, f) }})
		if err != nil {
			return j, err
		}
		j.Found, j.Ran = append(j.Found, r.Findings...), j.Ran+r.Ran
	}
	j.Found = slices.DeleteFunc(j.Found, func(f search.Finding) bool { return spent(p, f) || unended(p, f) })
	j.Disagrees = a.disagrees(j)
	return j, nil
}

// unended: time alone bounds the policy, and the hand-overs of a trial were used up
// before that time was.
func unended(p policy.Policy, f search.Finding) bool {
	return p.Limits.Attempts == 0 && p.Limits.Budget > 0 && slices.Equal(f.Invariants, []string{"settles"}) && f.History != nil && search.UsedUp(f.History)
}

// spent: the policy's own bound on unknown outcomes is used up, and to hand the action
// to a person is all that it leaves. A schedule declares no bound by class, so that the
// check can not know.
func spent(p policy.Policy, f search.Finding) bool {
	bound := p.Limits.PerClass[harness.Unknown]
	if bound == 0 || p.Moves[harness.Unknown] != policy.Reconcile || p.Moves[harness.RejectedPermanent] != policy.Stop || !slices.Equal(f.Invariants, []string{"settles"}) || f.History == nil {
		return false
	}
	unknown := map[int]bool{}
	for _, e := range f.History.Events {
		switch {
		case e.Kind == harness.EvRequest && e.Changes && !e.Copy:
			unknown[e.Attempt] = true
		case e.Kind == harness.EvPassed && e.Class.Definite():
			delete(unknown, e.Attempt)
		}
	}
	return len(unknown) >= bound
}

// declared is how many mutations of one action are expected at most: what the policy
// says itself. One that bounds the time alone is held to no number, one that bounds
// nothing to what the schedule declares.
func declared(p policy.Policy, otherwise int) int {
	switch l := p.Limits; {
	case l.Attempts > 0:
		return l.Attempts
	case l.Budget > 0 || l.PerClass[harness.RejectedTransient] > 0 && l.PerClass[harness.Unknown] > 0:
		return 0
	}
	return otherwise
}

// sweeps are schedules of their own: lines that strike every crossing of an operation
// from the first on, since a bound is only seen where nothing ever succeeds, and pairs
// that a policy is asked about and that the search may not come to.
func (a Arena) sweeps(s harness.Schedule, p policy.Policy) [][]harness.Fault {
	var out [][]harness.Fault
	for _, op := range a.Ops {
		for _, f := range a.busy(op, p) {
			out = append(out, []harness.Fault{f})
		}
		for _, side := range []harness.Side{harness.Request, harness.Target, harness.Response} {
			where := harness.Where{Point: op, Side: side, From: 1}
			for _, f := range search.At(s, a.Promises, where, true) {
				if f.Name == "kill" || f.Name == "duplicate" || f.Name == "restart" || f.Name == "pause" || f.Is("request delay") || !a.carries(f) || a.Refuses != nil && a.Refuses(f) != "" {
					continue
				}
				out = append(out, []harness.Fault{f})
			}
		}
		out = append(out, a.late(op), a.inDoubt(op, p))
	}
	return slices.DeleteFunc(out, func(lines []harness.Fault) bool { return len(lines) == 0 })
}

func (a Arena) carries(f harness.Fault) bool { return a.Carries == nil || a.Carries(f) }

// crossing is the n-th of an operation.
func crossing(op string, side harness.Side, n int) harness.Where {
	return harness.Where{Point: op, Side: side, From: n, To: n}
}

// late is a delivery that comes again when the key of what is in doubt is forgotten.
func (a Arena) late(op string) []harness.Fault {
	again := harness.Fault{Where: crossing(harness.Deliver, "", 2), Name: "after", D: harness.Span{Symbol: harness.PastRetention}}
	lost := harness.Fault{Where: crossing(op, harness.Response, 1), Name: "kill"}
	if !a.forgets() || !a.carries(again) || !a.carries(lost) {
		return nil
	}
	return []harness.Fault{lost, again}
}

// inDoubt is an answer that ends the action by the policy's own word, and not by the
// target's, while the attempt before is in doubt.
func (a Arena) inDoubt(op string, p policy.Policy) []harness.Fault {
	ends := p.Limits.PerClass[harness.RejectedTransient] == 1
	i := slices.IndexFunc(p.Overrides, func(o policy.Override) bool {
		return o.Mishap == "" && o.Class == harness.RejectedPermanent && a.Promises.Classify(o.Status, o.Code) == harness.RejectedTransient &&
			p.OfAnswer(a.Promises, o.Status, harness.Answered{Code: o.Code}) == o.Class
	})
	k := slices.IndexFunc(a.Promises.Errors, func(e harness.ErrorClass) bool { return e.Class == harness.RejectedTransient })
	refused := harness.Fault{Where: crossing(op, harness.Target, 2), Name: "reject"}
	switch {
	case i >= 0:
		refused.N, refused.Code = p.Overrides[i].Status, p.Overrides[i].Code
	case ends && k >= 0:
		refused.N, refused.Code = a.Promises.Errors[k].Status, a.Promises.Errors[k].Code
	default:
		return nil
	}
	lost := harness.Fault{Where: crossing(op, harness.Request, 1), Name: "close"}
	if !a.carries(lost) || !a.carries(refused) {
		return nil
	}
	return []harness.Fault{lost, refused}
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
		f := harness.Fault{Where: crossing(op, harness.Request, 1), Name: "status",
			N: a.Promises.Errors[i].Status, RetryAfter: harness.Span{D: after}}
		if a.carries(f) {
			out = append(out, f)
		}
	}
	return out
}

func (a Arena) sweep(ctx context.Context, s harness.Schedule, lines []harness.Fault, j *Judged) error {
	s.Faults = slices.Concat(s.Faults, lines)
	if s.Validate() != nil {
		return nil
	}
	h, err := a.World.Run(ctx, s)
	if err != nil {
		return fmt.Errorf("schedule %q: %w", lines, err)
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
		explained = explained || Everywhere(f.Rule) == ""
		if a.unshown(f.Rule) == "" && len(j.Found) == 0 {
			return fmt.Sprintf("lint finds %s, and no schedule breaks the policy", f.Rule)
		}
	}
	if len(j.Found) > 0 && !explained {
		return fmt.Sprintf("lint finds nothing that a schedule shows, and one breaks %v", j.Found[0].Invariants)
	}
	return ""
}
