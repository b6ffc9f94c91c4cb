package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/search/random"
	"github.com/retrydrill/drill/harness/suite"
	"github.com/retrydrill/drill/targets"
)

// fuzzSchema is the version line of a fuzzing run's JSON.
const fuzzSchema = "drill.fuzz/v1"

// fuzzFlags are the flags of drill fuzz.
type fuzzFlags struct {
	exploreFlags
	checks int
}

func fuzzCommand() *cobra.Command {
	var f fuzzFlags
	c := &cobra.Command{
		Use:   "fuzz",
		Short: "Draw schedules at random, and make small what fails",
		Long: `Draw schedules: faults at places that a run may or may not reach, one worker or
two, other deliveries, delays just under, just over and far over each deadline.
What fails is made small until no line can go, and is kept in .drill/ for drill
replay. The same seed draws the same schedules.

Exit status: 0 nothing was found, 1 unsafe, 2 something could not be judged.`,
		Example: `  drill fuzz --world sim --for 60s
  drill fuzz --exec "python3 worker.py" --checks 200 --seed 7`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return f.fuzz(c) },
	}
	f.given = func(name string) bool { return c.Flags().Changed(name) }
	f.whatRuns(c)
	f.depth = 1
	c.Flags().IntVar(&f.workers, "workers", 2, "1, or 2 to draw a second worker too")
	c.Flags().IntVar(&f.checks, "checks", 0, "run so many schedules; 0 goes on for as long as --for says")
	c.Flags().DurationVar(&f.span, "for", time.Minute, "end after this long, with what is known by then")
	c.Flags().StringVar(&f.shard, "shard", "", "I/N: every N-th schedule from the I-th, the same in every run")
	c.Flags().BoolVar(&f.first, "first", false, "stop at the first finding")
	return c
}

func (f *fuzzFlags) fuzz(c *cobra.Command) (err error) {
	if f.checks < 0 {
		return fmt.Errorf("--checks is %d: expected 0 or more", f.checks)
	}
	o, run, profile, err := f.search()
	if err != nil {
		return err
	}
	st, err := f.stage(c.Context(), c.OutOrStdout(), profile)
	if err != nil {
		return err
	}
	defer func() { err = worse(err, st.close()) }()
	ctx, stop := context.WithTimeoutCause(c.Context(), f.span, errSpan)
	defer stop()
	start := time.Now()
	meter := newMeter(c.ErrOrStderr(), start, f.span)
	r, err := random.Fuzz(ctx, random.Options{World: suite.Patient(st.world), Seed: f.seed, Checks: f.checks, Parallel: o.Parallel, First: f.first,
		Shard: o.Shard, Shards: o.Shards, Progress: meter.show,
		Space: random.Space{Schedule: o.Schedule, Promises: o.Promises, Ops: opsOf(profile), Carries: o.Carries, Refuses: o.Refuses, Workers: o.Workers}})
	meter.clear()
	if err = timeIsUp(err); err != nil && r.Checks == 0 {
		return err
	}
	found := fuzzed{Schema: fuzzSchema, Seed: f.seed, World: run.WorldName, Executor: suite.ExecutorName(o.Schedule.Executor), Target: run.Promises.Profile, Result: r}
	if found.Replays, err = keepFindings(r.Findings); err != nil {
		return err
	}
	if f.format == "json" {
		err = writeJSON(st.out, found)
	} else {
		found.text(st.out, time.Since(start))
	}
	if err != nil {
		return err
	}
	return judged(verdictOf(r.Findings, r.Unknown))
}

// opsOf are the operations of a profile, in order.
func opsOf(p *targets.Profile) []random.Op {
	var out []random.Op
	for _, name := range slices.Sorted(maps.Keys(p.Operations)) {
		out = append(out, random.Op{Name: name, Changes: p.Operations[name].Changes})
	}
	return out
}

// fuzzed is what drill fuzz prints.
type fuzzed struct {
	Schema   string `json:"schema"`
	Seed     uint64 `json:"seed"`
	World    string `json:"world"`
	Executor string `json:"executor"`
	Target   string `json:"target"`
	*random.Result
	Replays []string `json:"replays"`
}

func (x *fuzzed) text(w io.Writer, took time.Duration) {
	fmt.Fprintf(w, "executor %s, target %s, %s, seed %d\n\n", x.Executor, x.Target, x.World, x.Seed)
	tellFindings(w, x.Findings, x.Replays)
	for _, u := range x.Unknown {
		tellDoubt(w, u)
	}
	fmt.Fprintf(w, "%s, %s drawn and run (%d with a line that found no place), %s to make findings small, in %s\n",
		amount(len(x.Findings), "distinct fault", "distinct faults"), amount(x.Checks, "schedule", "schedules"), x.Unfired,
		amount(x.Steps, "more", "more"), took.Round(time.Millisecond))
	if verdictOf(x.Findings, x.Unknown) == harness.Safe {
		fmt.Fprintln(w, "the search shows no fault; it does not show that there is none")
	}
}
