package selftest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/check"
	"github.com/retrydrill/drill/harness/search"
)

// Found is what a search came to.
type Found struct {
	// Lines are the smallest schedule, Broken what it breaks; both are empty where
	// nothing was found.
	Lines  []string `json:"lines"`
	Broken []string `json:"broken"`
	Ran    int      `json:"ran"`
	// Why says why nothing was found.
	Why string `json:"why,omitempty"`
	// Took is real time, and no part of the JSON.
	Took time.Duration `json:"-"`
}

// String is the schedule in one line.
func (f Found) String() string {
	switch {
	case len(f.Broken) == 0:
		return ""
	case len(f.Lines) == 0:
		return "no fault at all"
	}
	return strings.Join(f.Lines, "; ")
}

// Seek is one search without the catalogue. The budget is that of all its stages: how
// many schedules it takes depends on no machine.
type Seek struct {
	search.Options
	// Twin is the safe executor: what breaks under a schedule that it does not pass
	// either shows nothing of the mutant.
	Twin harness.Executor
	// Wanted has to be among what breaks; empty is anything.
	Wanted string
}

// stages are how far a search goes, the near before the far: single faults under one
// worker, a second one where the first led to something new, single faults under two
// workers, pairs under one, pairs under two.
var stages = []struct {
	depth, workers int
	near           bool
}{{1, 1, false}, {2, 1, true}, {1, 2, false}, {2, 1, false}, {2, 2, false}}

// Search explores, stage by stage, until something breaks that the twin passes.
func Search(ctx context.Context, k Seek) (Found, error) {
	out := Found{Lines: []string{}, Broken: []string{}}
	start := time.Now()
	passed := map[string]bool{}
	for _, stage := range stages {
		o := k.Options
		o.Depth, o.Workers, o.Near = stage.depth, stage.workers, stage.near
		if o.Budget > 0 {
			o.Budget -= out.Ran
		}
		o.Enough = func(f search.Finding) bool {
			if k.Wanted != "" && !slices.Contains(f.Invariants, k.Wanted) {
				return false
			}
			line := strings.Join(f.Lines(), "; ")
			if _, asked := passed[line]; !asked {
				passed[line] = k.passes(ctx, f.Schedule)
			}
			return passed[line]
		}
		r, err := search.Explore(ctx, o)
		out.Took = time.Since(start)
		if err != nil {
			return out, err
		}
		out.Ran += r.Ran
		if i := slices.IndexFunc(r.Findings, o.Enough); i >= 0 {
			out.Lines, out.Broken = r.Findings[i].Lines(), r.Findings[i].Invariants
			return out, nil
		}
		if k.Budget > 0 && out.Ran >= k.Budget {
			out.Why = "nothing within the budget"
			return out, nil
		}
	}
	out.Why = fmt.Sprintf("nothing in all %d schedules of at most %d faults", out.Ran, stages[len(stages)-1].depth)
	return out, nil
}

// passes reports whether the twin is not convicted under a schedule.
func (k Seek) passes(ctx context.Context, s harness.Schedule) bool {
	s.Executor = k.Twin
	h, err := k.World.Run(ctx, s)
	return err == nil && check.Judge(h).Verdict == harness.Safe
}

// Clear explores all schedules of one fault under one and two workers, and returns
// those that convict the executor and not the twin, each with what broke: what no
// executor can tell or stop is nobody's fault.
func Clear(ctx context.Context, k Seek) (convicted []string, ran int, err error) {
	o := k.Options
	o.Depth, o.Workers = 1, 2
	r, err := search.Explore(ctx, o)
	if err != nil {
		return nil, 0, err
	}
	for _, f := range r.Findings {
		if k.passes(ctx, f.Schedule) {
			convicted = append(convicted, fmt.Sprintf("%s (%s)", strings.Join(f.Lines(), "; "), strings.Join(f.Invariants, ", ")))
		}
	}
	return convicted, r.Ran, nil
}
