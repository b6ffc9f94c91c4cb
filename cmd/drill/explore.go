package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/search"
	"github.com/retrydrill/drill/harness/search/linear"
	"github.com/retrydrill/drill/harness/suite"
	"github.com/retrydrill/drill/targets"
)

// exploreFlags are the flags of drill explore.
type exploreFlags struct {
	runFlags
	depth, workers, budget int
	// most is how many workers there are at most.
	most       int
	shard      string
	span       time.Duration
	first, all bool
}

func exploreCommand() *cobra.Command {
	f := exploreFlags{most: 3}
	c := &cobra.Command{
		Use:   "explore",
		Short: "Strike every boundary of a run with every fault, then every pair",
		Long: `Discover the boundaries of a fault-free run, strike each with every fault that
makes sense there, then every pair, and with --workers 2 let a second worker run
at each boundary of the first. The result states the size of the space: what ran,
what was pruned and why, what was not run. One entry a distinct fault, with its
smallest schedule, kept in .drill/ for drill replay.

Exit status: 0 nothing was found, 1 unsafe, 2 something could not be judged.`,
		Example: `  drill explore --depth 1 --executor no-key
  drill explore --exec "python3 worker.py" --for 60s
  drill explore --workers 2 --shard 1/4`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return f.explore(c) },
	}
	f.given = func(name string) bool { return c.Flags().Changed(name) }
	f.whatRuns(c, " (default "+defaultTarget+")")
	c.Flags().IntVar(&f.depth, "depth", 2, "how many faults a schedule has at most")
	c.Flags().IntVar(&f.workers, "workers", 1, "2 lets a second worker run at each boundary of the first, 3 lets three begin at once, too")
	c.Flags().IntVar(&f.budget, "budget", 0, "run at most so many schedules; 0 is no bound")
	c.Flags().DurationVar(&f.span, "for", 10*time.Minute, "end the search after this long, with what is known by then")
	c.Flags().StringVar(&f.shard, "shard", "", "I/N: the I-th of N parts of the space, the same in every run; drill report puts them together")
	c.Flags().BoolVar(&f.first, "first", false, "stop at the first finding")
	c.Flags().BoolVar(&f.all, "no-prune", false, "run what would be pruned, too")
	return c
}

func (f *exploreFlags) explore(c *cobra.Command) (err error) {
	o, run, profile, err := f.search()
	if err != nil {
		return err
	}
	st, err := f.stage(c.Context(), c.OutOrStdout(), profile)
	if err != nil {
		return err
	}
	defer func() { err = worse(err, st.close()) }()
	o.World = suite.Patient(st.world)
	ctx, stop := context.WithTimeoutCause(c.Context(), f.span, errSpan)
	defer stop()
	start := time.Now()
	meter := newMeter(c.ErrOrStderr(), "schedules", start, f.span)
	o.Progress = meter.show
	if err := ready(ctx, run, o.World); err != nil {
		return err
	}
	r, err := search.Explore(ctx, o)
	meter.clear()
	if err = timeIsUp(err); err != nil && r.Ran == 0 {
		return err
	}
	found := explored{Schema: exploreSchema, Seed: f.seed, World: run.WorldName, Executor: suite.ExecutorName(o.Schedule.Executor),
		Target: run.Promises.Profile, Depth: o.Depth, Workers: o.Workers, Result: r}
	var kerr error
	found.Trials, kerr = tellable(r.Findings)
	err = errors.Join(err, kerr)
	found.asked = askedFor(r.Shards, o.Schedule, o.Depth, o.Workers, o.All)
	if err = errors.Join(err, writeAs(st.out, f.format, &found, time.Since(start))); err != nil {
		return err
	}
	return judged(found.verdict())
}

// ready refuses a worker that can not be judged, as drill run does. Where the time is up
// by then, the search says so.
func ready(ctx context.Context, run suite.Options, w harness.World) error {
	run.World = w
	return timeIsUp(run.Judgeable(ctx))
}

// search puts the flags together.
func (f *exploreFlags) search() (o search.Options, run suite.Options, p *targets.Profile, err error) {
	if err := f.check(); err != nil {
		return o, run, nil, err
	}
	if run, p, err = f.options(nil); err != nil {
		return o, run, nil, err
	}
	s, err := run.Base()
	if err != nil {
		return o, run, nil, err
	}
	o = search.Options{Schedule: s, Promises: run.Promises, Depth: f.depth, Workers: f.workers, Budget: f.budget,
		Parallel: run.Parallel, First: f.first, All: f.all, Carries: carries(f.place), Refuses: run.Refuses()}
	if f.workers > 1 {
		o.Second = linear.Disagrees
	}
	o.Shard, o.Shards, err = parseShard(f.shard)
	return o, run, p, err
}

func (f *exploreFlags) check() error {
	if err := cmp.Or(checkForm(f.format), checkParallel(f.given, f.parallel)); err != nil {
		return err
	}
	switch {
	case f.depth < 1 || f.depth > 4:
		return fmt.Errorf("--depth is %d: expected 1 to 4", f.depth)
	case f.workers < 1 || f.workers > f.most:
		return fmt.Errorf("--workers is %d: expected 1 to %d", f.workers, f.most)
	case f.budget < 0:
		return fmt.Errorf("--budget is %d: expected 0 or more", f.budget)
	case f.span <= 0:
		return fmt.Errorf("--for is %s: expected more than 0", f.span)
	}
	return nil
}

// parseShard reads I/N.
func parseShard(s string) (i, n int, err error) {
	if s == "" {
		return 0, 0, nil
	}
	a, b, ok := strings.Cut(s, "/")
	i, ierr := strconv.Atoi(a)
	n, nerr := strconv.Atoi(b)
	if !ok || ierr != nil || nerr != nil || i < 1 || n < i || n > 1000 {
		return 0, 0, fmt.Errorf("--shard is %q: expected I/N with I from 1 to N, like 1/4", s)
	}
	return i, n, nil
}

func carries(p place) func(harness.Fault) bool {
	return func(f harness.Fault) bool {
		return len(p.unsupported(harness.Schedule{Faults: []harness.Fault{f}})) == 0
	}
}
