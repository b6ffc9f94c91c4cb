package suite

import (
	"context"
	"fmt"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/check"
)

// Carry lets a world carry out a schedule and judges the history. Where the machine
// was so slow that the trial was not its schedule, it is carried out again, at most
// twice, with every deadline 4 and then 16 times as long; a caveat says so, and the
// history's schedule has the deadlines that were in force.
//
// That hides no flake: only a trial whose own history shows a delay that nobody asked
// for, and that matters against its deadlines, is carried out again, and only where
// it could not be judged for it. What violates an invariant and was not slow is
// unsafe at once, and what stays slow stays unknown.
func Carry(ctx context.Context, w harness.World, s harness.Schedule) (*harness.History, check.Judgement, error) {
	h, err := w.Run(ctx, s)
	if err != nil {
		return h, check.Judgement{}, err
	}
	return settle(ctx, w, h, check.Judge)
}

// Patient is a world that carries out again what slowness kept from being judged, as
// [Carry] does; it is for a search, which goes on from histories.
func Patient(w harness.World) harness.World { return patient{w} }

type patient struct{ harness.World }

// Run implements [harness.World].
func (p patient) Run(ctx context.Context, s harness.Schedule) (*harness.History, error) {
	h, _, err := p.Judged(ctx, s)
	return h, err
}

// Judged implements [search.Judging].
func (p patient) Judged(ctx context.Context, s harness.Schedule) (*harness.History, check.Judgement, error) {
	h, err := p.World.Run(ctx, s)
	if err != nil {
		return h, check.Judgement{}, err
	}
	return settle(ctx, p.World, h, check.Weigh)
}

// Reuse implements [harness.Reuser].
func (p patient) Reuse(h *harness.History) { harness.Reuse(p.World, h) }

// settle carries out again what slowness kept from being judged.
func settle(ctx context.Context, w harness.World, h *harness.History, judge func(*harness.History) check.Judgement) (*harness.History, check.Judgement, error) {
	s, j := h.Schedule, judge(h)
	limits := s.Limits
	for _, n := range harness.Patience {
		if j.Verdict != harness.Inconclusive || j.Slow == "" {
			break
		}
		s.Limits = limits.Scaled(n)
		next, err := w.Run(ctx, s)
		if err != nil {
			return next, j, err
		}
		h, j = next, judge(next)
		j.Caveats = append([]string{longer(n)}, j.Caveats...)
	}
	return h, j, nil
}

func longer(n int) string {
	return fmt.Sprintf("carried out again with every deadline %d times as long, since the machine was slow", n)
}

// tooSlow reports whether the control was behind by half of a deadline or more. What
// is less is left to trials that are carried out again one by one, and so is what
// would need more than the first factor: every trial would take that much longer.
func tooSlow(control map[uint64]*carried) bool {
	for _, c := range control {
		matters := c.history.Schedule.Limits.Matters()
		if late := check.Judge(c.history).Late; late > 0 && late >= 2*matters {
			return true
		}
	}
	return false
}

func longerFrom(n int) string {
	return fmt.Sprintf("every deadline is %d times the default, since the control showed that the machine is slow", n)
}
