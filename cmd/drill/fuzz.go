package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/retrydrill/drill/fakes"
	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/policy/lint"
	"github.com/retrydrill/drill/harness/report"
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
	// policies: not schedules but retry policies are drawn.
	policies bool
}

func fuzzCommand() *cobra.Command {
	var f fuzzFlags
	c := &cobra.Command{
		Use:   "fuzz",
		Short: "Draw schedules at random, and make small what fails",
		Long: `Draw schedules: faults at places that a run may or may not reach, one worker or
two, other deliveries, writes of the executor's own store, targets that are not the
plain one, delays just under, just over and far over each deadline. What fails is
made small until no line can go, and is kept in .drill/ for drill replay. The same
seed draws the same schedules.

With --policy FILE the built-in executor follows that retry policy, in memory where
--world does not say otherwise, and what drill policy lint says of it stands beside.
With --policies retry policies are drawn, and each is judged twice, by inspection and
by the single and double faults that an executor meets while it follows it: where the
two differ, one of them is wrong.

Exit status: 0 nothing was found, 1 unsafe, 2 something could not be judged.`,
		Example: `  drill fuzz --world sim --for 60s
  drill fuzz --exec "python3 worker.py" --checks 200 --seed 7
  drill fuzz --policy policy.yaml --target no-key-no-lookup
  drill fuzz --policies --checks 40`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if f.policies {
				return f.fuzzPolicies(c)
			}
			return f.fuzz(c)
		},
	}
	f.given = func(name string) bool { return c.Flags().Changed(name) }
	f.whatRuns(c, " (default "+defaultTarget+"); with --policies repeatable (default "+strings.Join(policyTargets, ", ")+")")
	f.depth, f.most = 1, 2
	c.Flags().IntVar(&f.workers, "workers", 2, "1, or 2 to draw a second worker too, and at times a third")
	c.Flags().IntVar(&f.checks, "checks", 0, "run so many schedules; 0 goes on for as long as --for says")
	c.Flags().DurationVar(&f.span, "for", time.Minute, "end after this long, with what is known by then")
	c.Flags().StringVar(&f.shard, "shard", "", "I/N: every N-th schedule from the I-th, the same in every run; drill report puts them together")
	c.Flags().BoolVar(&f.first, "first", false, "stop at the first finding")
	c.Flags().BoolVar(&f.policies, "policies", false, "draw retry policies, and hold lint and search against each other")
	for _, other := range []string{"policy", "exec", "serve", "executor", "workers", "shard", "world", "receipts"} {
		notTogether(c, "policies", other)
	}
	return c
}

func (f *fuzzFlags) fuzz(c *cobra.Command) (err error) {
	if f.checks < 0 {
		return fmt.Errorf("--checks is %d: expected 0 or more", f.checks)
	}
	if f.policy != "" && !f.given("world") {
		f.world = "sim"
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
	blame, err := blames(&o)
	if err != nil {
		return err
	}
	ctx, stop := context.WithTimeoutCause(c.Context(), f.span, errSpan)
	defer stop()
	start := time.Now()
	meter := newMeter(c.ErrOrStderr(), "schedules", start, f.span)
	if err := ready(ctx, run, st.world); err != nil {
		return err
	}
	r, err := random.Fuzz(ctx, random.Options{World: blame.world(suite.Patient(st.world)), Seed: f.seed, Checks: f.checks, Parallel: o.Parallel, First: f.first,
		Shard: o.Shard, Shards: o.Shards, Second: o.Second, Progress: meter.show,
		Space: random.Space{Schedule: o.Schedule, Promises: o.Promises, Ops: opsOf(profile), Carries: o.Carries, Refuses: o.Refuses,
			Takes: fakes.Takes(profile), Workers: o.Workers}})
	meter.clear()
	if err = timeIsUp(err); err != nil && r.Checks == 0 {
		return err
	}
	r.Findings = slices.DeleteFunc(r.Findings, blame.excuses)
	found := fuzzed{Schema: fuzzSchema, Seed: f.seed, World: run.WorldName, Executor: suite.ExecutorName(o.Schedule.Executor), Target: run.Promises.Profile, Result: r}
	var lerr, kerr error
	found.Lint, lerr = f.lint(o.Schedule.Executor.Policy, o.Promises)
	found.Trials, kerr = tellable(r.Findings)
	err = errors.Join(err, lerr, kerr)
	found.asked = askedFor(r.Shards, o.Schedule, o.Workers, f.checks)
	if err = errors.Join(err, writeAs(st.out, f.format, &found, time.Since(start))); err != nil {
		return err
	}
	return judged(found.verdict())
}

// lint is what inspection says of the policy that is fuzzed, or nothing.
func (f *fuzzFlags) lint(text string, target harness.Promises) (*policyReport, error) {
	if f.policy == "" {
		return nil, nil
	}
	format, policies, err := lint.Read(f.policy, []byte(text), lint.Own)
	if err != nil {
		return nil, err
	}
	r := policyReport{Schema: policyLintSchema, File: f.policy, Format: format.ID, Target: target.Profile, Verdict: string(harness.Safe), Policies: len(policies),
		Findings: lint.Lint(policies, &target), lines: strings.Split(text, "\n")}
	if len(r.Findings) > 0 {
		r.Verdict = string(harness.Unsafe)
	}
	return &r, nil
}

// opsOf are the operations of a profile, in order.
func opsOf(p *targets.Profile) []random.Op {
	return random.OpsOf(p.Operations, func(o targets.Operation) bool { return o.Changes })
}

// fuzzed is what drill fuzz prints.
type fuzzed struct {
	Schema   string `json:"schema"`
	Seed     uint64 `json:"seed"`
	World    string `json:"world"`
	Executor string `json:"executor"`
	Target   string `json:"target"`
	*random.Result
	// Trials tell the findings, each by its smallest schedule.
	Trials []report.Trial `json:"trials"`
	// Lint is what inspection says of the policy.
	Lint *policyReport `json:"policy_lint,omitempty"`
	asked
}

func (x *fuzzed) verdict() harness.Verdict {
	if x.Checks == 0 {
		return harness.Inconclusive
	}
	return steady(verdictOf(x.Findings, x.Unknown), x.Stable)
}

func (x *fuzzed) json(w io.Writer) error { return writeJSON(w, x) }

func (x *fuzzed) name() string { return "drill fuzz " + x.Executor }

func (x *fuzzed) cases() []report.Case {
	return searched("fuzz", x.Target, amount(x.Checks, "schedule", "schedules"), x.Findings, x.Trials, x.Unknown, x.verdict())
}

// text tells it to a person; took is left out where it is 0.
func (x *fuzzed) text(w io.Writer, took time.Duration) {
	fmt.Fprintf(w, "executor %s, target %s, %s, seed %d\n\n", x.Executor, x.Target, x.World, x.Seed)
	tellFindings(w, x.Findings, x.Trials, x.Unknown)
	if x.Lint != nil {
		fmt.Fprintf(w, "by inspection: %s at %s\n", amount(len(x.Lint.Findings), "finding", "findings"), x.Target)
		tellLint(w, x.Lint.File, x.Lint.Findings, x.Lint.lines)
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "%s, %s drawn and run (%d with a line that found no place), %s to make findings small%s\n",
		amount(len(x.Findings), "distinct fault", "distinct faults"), amount(x.Checks, "schedule", "schedules"), x.Unfired,
		amount(x.Steps, "more", "more"), within(took))
	if x.Late > 0 {
		fmt.Fprintf(w, "%s not judged: a held request arrived when its sender had given up, and nobody could call it back\n", amount(x.Late, "schedule", "schedules"))
	}
	tellLikeness(w, x.Likeness)
	if x.verdict() == harness.Safe {
		fmt.Fprintln(w, "the search shows no fault; it does not show that there is none")
	}
}
