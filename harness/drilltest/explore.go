package drilltest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/retrydrill/drill/harness/check"
	"github.com/retrydrill/drill/harness/report"
	"github.com/retrydrill/drill/harness/search"
	"github.com/retrydrill/drill/harness/suite"
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
	d := o.harness(t)
	d.ready(t)
	d.begin(t)
	ctx := context.Background()
	if within.For > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeoutCause(ctx, within.For, errSpan)
		defer stop()
	}
	r, err := search.Explore(ctx, search.Options{World: suite.Patient(d.options.World), Schedule: d.base, Promises: d.options.Promises, Depth: within.Depth,
		Workers: within.Workers, Budget: within.Budget, Parallel: d.options.Parallel, Carries: d.carries, Refuses: d.options.Refuses()})
	if err != nil && !errors.Is(err, errSpan) {
		t.Fatalf("drill: %v", err)
	}
	for _, f := range r.Findings {
		fail(t, d.options.World, report.Trial{ID: "smallest schedule"}.Judged(f.History, check.Judge(f.History)))
		keep(t, f.Schedule)
	}
	for _, u := range r.Unknown {
		t.Errorf("%q could not be judged: %s\nagain: %s\n%s", u.Faults, u.Reason, command(t), advice(u.Reason))
	}
	if r.Differs != "" {
		t.Errorf("drill: not reproducible: two runs differed where no fault had struck: %s\nagain: %s", r.Differs, command(t))
	}
	t.Log(size(r))
}

func size(r *search.Result) string {
	s := fmt.Sprintf("space: %d boundaries, %d interleavings, %d schedules ran (by number of faults: %v)", r.Boundaries, r.Roots, r.Ran, r.ByDepth)
	for _, p := range r.Pruned {
		s += fmt.Sprintf("; pruned %d: %s", p.N, p.Why)
	}
	if r.Varies {
		s += "; the same steps had other contents in another run"
	}
	if r.NotRun > 0 {
		s += fmt.Sprintf("; not run: at least %d", r.NotRun)
	}
	return s
}
