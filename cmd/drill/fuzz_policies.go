package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/search/policyfuzz"
	"github.com/retrydrill/drill/targets"
)

// policiesSchema is the version line of what drill fuzz --policies prints as JSON.
const policiesSchema = "drill.fuzz-policies/v1"

// policyTargets are those at which policies are judged where nobody names one: a key
// and a look-up, a key alone, a look-up alone, neither.
var policyTargets = []string{defaultTarget, "ietf-07", "lookup-by-reference", "no-key-no-lookup"}

// fuzzPolicies draws retry policies and judges each twice.
func (f *fuzzFlags) fuzzPolicies(c *cobra.Command) (err error) {
	if f.checks < 0 {
		return fmt.Errorf("--checks is %d: expected 0 or more", f.checks)
	}
	if err := checkFormat(f.format); err != nil {
		return err
	}
	f.world, f.depth = "sim", policyDepth
	arenas, profiles, err := f.arenas()
	if err != nil {
		return err
	}
	st, err := f.stage(c.Context(), c.OutOrStdout(), profiles...)
	if err != nil {
		return err
	}
	defer func() { err = worse(err, st.close()) }()
	for i := range arenas {
		arenas[i].World = st.world
	}
	ctx, stop := context.WithTimeoutCause(c.Context(), f.span, errSpan)
	defer stop()
	start := time.Now()
	meter := newMeter(c.ErrOrStderr(), "policies", start, f.span)
	r, err := policyfuzz.Fuzz(ctx, policyfuzz.Options{Arenas: arenas, Seed: f.seed, Checks: f.checks, First: f.first, Progress: meter.show})
	meter.clear()
	if err = timeIsUp(err); err != nil && r.Checks == 0 {
		return err
	}
	found := fuzzedPolicies{Schema: policiesSchema, Seed: f.seed, World: f.world, Executor: defaultExecutor, Depth: f.depth, Result: r}
	for _, p := range profiles {
		found.Targets = append(found.Targets, p.Name)
	}
	if f.format == "json" {
		err = errors.Join(err, writeJSON(st.out, found))
	} else {
		found.text(st.out, time.Since(start))
	}
	switch {
	case err != nil:
		return err
	case len(r.Disagreements) > 0:
		return judged(harness.Unsafe)
	case r.Checks == 0:
		return judged(harness.Inconclusive)
	}
	return nil
}

// arenas are the reference executor at each target, and once more where keys are
// forgotten.
func (f *fuzzFlags) arenas() (out []policyfuzz.Arena, profiles []*targets.Profile, err error) {
	names := f.targets
	if len(names) == 0 {
		names = policyTargets
	}
	for _, name := range names {
		at := *f
		at.targets = []string{name}
		o, _, p, err := at.search()
		if err != nil {
			return nil, nil, err
		}
		f.place = at.place
		profiles = append(profiles, p)
		a := policyfuzz.Arena{Schedule: o.Schedule, Promises: o.Promises, Carries: o.Carries, Refuses: o.Refuses, Depth: o.Depth, Parallel: o.Parallel}
		for _, op := range opsOf(p) {
			if op.Changes {
				a.Ops = append(a.Ops, op.Name)
			}
		}
		out = append(out, a)
		if a.Promises.Key.Kept {
			a.Schedule.Settings.ForgetKey = true
			out = append(out, a)
		}
	}
	return out, profiles, nil
}

// fuzzedPolicies is what drill fuzz --policies prints.
type fuzzedPolicies struct {
	Schema   string   `json:"schema"`
	Seed     uint64   `json:"seed"`
	World    string   `json:"world"`
	Executor string   `json:"executor"`
	Targets  []string `json:"targets"`
	Depth    int      `json:"depth"`
	*policyfuzz.Result
}

func (x *fuzzedPolicies) text(w io.Writer, took time.Duration) {
	fmt.Fprintf(w, "executor %s, targets %s, %s, seed %d\n\n", x.Executor, strings.Join(x.Targets, ", "), x.World, x.Seed)
	for _, d := range x.Disagreements {
		fmt.Fprintf(w, "DISAGREE at %s: %s\n%s", d.Target, d.Disagrees, indented(d.Policy))
		for _, l := range d.Lint {
			fmt.Fprintf(w, "         lint:   %s: %s\n", l.Rule, l.Why)
		}
		for _, s := range d.Found {
			fmt.Fprintf(w, "         search: %s by %s\n", strings.Join(s.Invariants, ", "), strings.Join(s.Lines(), "; "))
		}
		fmt.Fprintln(w)
	}
	for _, rule := range slices.Sorted(maps.Keys(x.Rules)) {
		note := ""
		if why := policyfuzz.Everywhere(rule); why != "" {
			note = ": not searched for, since " + why
		}
		fmt.Fprintf(w, "%-20s in %s%s\n", rule, amount(x.Rules[rule], "policy", "policies"), note)
	}
	fmt.Fprintf(w, "\n%s between lint and search; of %s %d are safe to both, %d unsafe to both, and of %d lint says what no schedule shows; %s run in %s\n",
		amount(len(x.Disagreements), "disagreement", "disagreements"), amount(x.Checks, "policy", "policies"), x.Clean, x.Unsafe, x.Quiet,
		amount(x.Ran, "schedule", "schedules"), took.Round(time.Millisecond))
}

func indented(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString("         " + line)
	}
	return b.String()
}
