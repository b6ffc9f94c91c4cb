package drilltest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/check"
	"github.com/retrydrill/drill/harness/report"
	"github.com/retrydrill/drill/harness/search"
	"github.com/retrydrill/drill/harness/wire"
	"github.com/retrydrill/drill/scenarios"
)

// Space bounds a search.
type Space struct {
	// Depth is how many faults a schedule has at most; below 1 is 1.
	Depth int
	// Workers is 1, or 2 to let a second worker run at each boundary of the first.
	Workers int
	// Budget bounds the schedules that are run, For the time; 0 is no bound.
	Budget int
	For    time.Duration
}

var errSpan = errors.New("the time is up")

// Explore strikes every boundary of a run with every fault that makes sense there,
// then every pair; see package search. It fails with one entry a distinct fault, and
// logs the size of the space.
func Explore(t *testing.T, o Options, within Space) {
	t.Helper()
	o.child()
	s, p, err := o.suite()
	if err != nil {
		t.Fatalf("drill: %v", err)
	}
	world := o.open(t, p)
	s.World = world
	again(t, s)
	base, err := s.Schedule(scenarios.Trial{Actions: map[string]scenarios.Derived{"B": {Like: "A"}}})
	if err != nil {
		t.Fatalf("drill: %v", err)
	}
	given := scenarios.Given{Promises: s.Promises, Executor: s.Executor, HasChanged: len(s.Action.Changed) > 0, HasWhole: len(s.Action.Whole) > 0}
	ctx := context.Background()
	if within.For > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeoutCause(ctx, within.For, errSpan)
		defer stop()
	}
	r, err := search.Explore(ctx, search.Options{World: world, Schedule: base, Promises: s.Promises, Depth: within.Depth, Workers: within.Workers,
		Budget: within.Budget, Parallel: s.Parallel,
		Carries: func(f harness.Fault) bool { return slices.Contains(wire.Carried(), f.Kind().Key()) },
		Refuses: func(f harness.Fault) string { return scenarios.Unmet(scenarios.NeedsOf(f), given) }})
	if err != nil && !errors.Is(err, errSpan) {
		t.Fatalf("drill: %v", err)
	}
	for _, f := range r.Findings {
		fail(t, report.Trial{ID: "smallest schedule"}.Judged(f.History, check.Judge(f.History)), f.Also...)
		keep(t, f.Schedule)
	}
	for _, u := range r.Unknown {
		t.Errorf("%q could not be judged: %s\nagain: %s", u.Faults, u.Reason, command(t))
	}
	t.Log(size(r))
}

func size(r *search.Result) string {
	s := fmt.Sprintf("space: %d boundaries, %d interleavings, %d schedules ran (by number of faults: %v)", r.Boundaries, r.Roots, r.Ran, r.ByDepth)
	for _, p := range r.Pruned {
		s += fmt.Sprintf("; pruned %d: %s", p.N, p.Why)
	}
	if r.NotRun > 0 {
		s += fmt.Sprintf("; not run: at least %d", r.NotRun)
	}
	return s
}
