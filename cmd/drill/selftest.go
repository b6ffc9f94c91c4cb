package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/config"
	"github.com/retrydrill/drill/harness/reference"
	"github.com/retrydrill/drill/harness/search"
	"github.com/retrydrill/drill/harness/selftest"
	"github.com/retrydrill/drill/harness/suite"
	"github.com/retrydrill/drill/scenarios"
	"github.com/retrydrill/drill/targets"
)

// selftestFlags are the flags of drill selftest.
type selftestFlags struct {
	world, format, output string
	seed                  uint64
	parallel, budget      int
	search                bool
	given                 func(string) bool
}

// searchBudget is several times what the longest search takes, and a matter of seconds.
const searchBudget = 10000

func selftestCommand() *cobra.Command {
	var f selftestFlags
	c := &cobra.Command{
		Use:   "selftest [MUTANT...]",
		Short: "Measure drill: run the mutants and their safe twins",
		Long: `Run executors with one planted fault each, and their safe twins, over the whole
catalogue, and print which invariant convicted which mutant in which scenario, a
second place that convicts it, and whether its twin was cleared. Where no second
scenario does, a search without the catalogue is asked. With --search each mutant is
searched, and the smallest schedule is shown.

Exit status: 0 every mutant is caught and every twin cleared, 1 one escapes, is
convicted by other invariants or in one place only, or a twin is convicted.`,
		Example: `  drill selftest
  drill selftest --search key-per-attempt no-key
  drill selftest --format markdown`,
		RunE: func(c *cobra.Command, names []string) error { return f.run(c, names) },
	}
	f.given = func(name string) bool { return c.Flags().Changed(name) }
	c.Flags().StringVar(&f.world, "world", "sim", "sim to run the whole catalogue in memory and under virtual time, or wire to run by real sockets what that shows")
	c.Flags().StringVar(&f.format, "format", "text", "text, json or markdown")
	c.Flags().StringVar(&f.output, "output", "", "write the result to a file")
	c.Flags().Uint64Var(&f.seed, "seed", 1, "the one source of everything that is drawn")
	c.Flags().IntVar(&f.parallel, "parallel", 0, "how many executors run at once (default: the number of processors; by real sockets, 8 times that)")
	c.Flags().BoolVar(&f.search, "search", false, "search each mutant without the catalogue, too")
	c.Flags().IntVar(&f.budget, "budget", searchBudget, "end each search after so many schedules")
	return c
}

func (f *selftestFlags) run(c *cobra.Command, names []string) (err error) {
	mutants, err := f.mutants(names)
	if err != nil {
		return err
	}
	tell, ok := selftestFormats[f.format]
	if !ok {
		return fmt.Errorf("--format is %q: expected text, json or markdown", f.format)
	}
	out, err := openOutput(f.output, c.OutOrStdout())
	if err != nil {
		return err
	}
	defer func() { err = worse(err, out.close()) }()
	start := time.Now()
	var twins []reference.Twin
	if len(names) == 0 {
		twins = reference.SafeTwins
	}
	voice := newVoice(c.ErrOrStderr(), "mutants", len(mutants))
	m, err := f.measure(c.Context(), mutants, twins, func(int, int) { voice.step() })
	voice.end()
	if err != nil {
		return err
	}
	if err := tell(out, m, time.Since(start)); err != nil {
		return err
	}
	return judged(m.Verdict())
}

func (f *selftestFlags) mutants(names []string) ([]reference.Mutant, error) {
	if f.given("parallel") && f.parallel < 1 {
		return nil, fmt.Errorf("--parallel is %d: expected at least 1", f.parallel)
	}
	if f.budget < 1 {
		return nil, fmt.Errorf("--budget is %d: expected at least 1", f.budget)
	}
	if len(names) == 0 {
		return reference.Mutants, nil
	}
	var out []reference.Mutant
	for _, name := range names {
		i := slices.IndexFunc(reference.Mutants, func(m reference.Mutant) bool { return m.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("there is no mutant %q: drill list mutants names them", name)
		}
		out = append(out, reference.Mutants[i])
	}
	return out, nil
}

// measure runs mutants and twins in one world that has every target they need.
func (f *selftestFlags) measure(ctx context.Context, mutants []reference.Mutant, twins []reference.Twin, progress func(done, all int)) (m *selftest.Matrix, err error) {
	at, err := placeOf(f.world)
	if err != nil {
		return nil, err
	}
	profiles, all, err := measuredProfiles(mutants, twins)
	if err != nil {
		return nil, err
	}
	world, err := at.open(&kept{}, all...)
	if err != nil {
		return nil, err
	}
	defer func() { err = worse(err, world.Close()) }()
	simulated, err := placeOf("sim")
	if err != nil {
		return nil, err
	}
	searched, err := simulated.open(&kept{}, all...)
	if err != nil {
		return nil, err
	}
	defer func() { err = worse(err, searched.Close()) }()
	n := runtime.GOMAXPROCS(0)
	if at.name == "wire" {
		// Its trials mostly wait.
		n *= waiting
	}
	n = cmp.Or(f.parallel, n)
	o := selftest.Options{Mutants: mutants, Twins: twins, Seed: f.seed, World: at.name, Parallel: n, Always: f.search, Progress: progress}
	o.At = func(executor, target string) (suite.Options, error) {
		r, err := f.suite(at, executor, profiles[target])
		r.World = world
		return r, err
	}
	from := func(executor, target string) (search.Options, error) {
		r, err := f.suite(simulated, executor, profiles[target])
		if err != nil {
			return search.Options{}, err
		}
		s, err := r.Base()
		return search.Options{World: searched, Schedule: s, Promises: r.Promises, Parallel: 1, Carries: carries(simulated), Refuses: r.Refuses(), Budget: f.budget}, err
	}
	o.Search = func(ctx context.Context, executor, twin, target, wanted string) (selftest.Found, error) {
		so, err := from(executor, target)
		if err != nil {
			return selftest.Found{}, err
		}
		return selftest.Search(ctx, selftest.Seek{Options: so, Twin: harness.Executor{Kind: "builtin", Name: twin}, Wanted: wanted})
	}
	o.Clear = func(ctx context.Context, executor, target string) ([]string, int, error) {
		so, err := from(executor, target)
		if err != nil {
			return nil, 0, err
		}
		so.Budget = 0
		return selftest.Clear(ctx, selftest.Seek{Options: so, Twin: harness.Executor{Kind: "builtin", Name: defaultExecutor}})
	}
	if at.name == "wire" {
		o, err = fromMemory(ctx, o, func(executor, target string) (suite.Options, error) {
			r, err := f.suite(simulated, executor, profiles[target])
			r.World = searched
			return r, err
		})
		if err != nil {
			return nil, err
		}
	}
	return selftest.Run(ctx, o)
}

// waiting is how many executors are run by real sockets for one processor.
const waiting = 8

// measuredProfiles are those that mutants and twins are run at.
func measuredProfiles(mutants []reference.Mutant, twins []reference.Twin) (byName map[string]*targets.Profile, all []*targets.Profile, err error) {
	var names []string
	for _, m := range mutants {
		names = append(names, cmp.Or(m.Target, defaultTarget))
	}
	for _, t := range twins {
		names = append(names, t.Targets...)
	}
	byName = map[string]*targets.Profile{}
	for _, name := range names {
		if byName[name] != nil {
			continue
		}
		if byName[name], err = targets.Builtin(name); err != nil {
			return nil, nil, err
		}
		all = append(all, byName[name])
	}
	return byName, all, nil
}

// suite is the whole catalogue against one executor at one target.
func (f *selftestFlags) suite(at place, executor string, p *targets.Profile) (suite.Options, error) {
	r := runFlags{seed: f.seed, parallel: 1, place: at, given: func(string) bool { return false }}
	o, _, err := r.at(p.Name, given{picked: scenarios.All(), config: config.Default(), executor: harness.Executor{Kind: "builtin", Name: executor}})
	o.Dir = ""
	return o, err
}

var selftestFormats = map[string]func(io.Writer, *selftest.Matrix, time.Duration) error{
	"text":     selftestText,
	"json":     selftestJSON,
	"markdown": selftestMarkdown,
}

func selftestJSON(w io.Writer, m *selftest.Matrix, _ time.Duration) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(struct {
		*selftest.Matrix
		Summary selftest.Counts `json:"summary"`
	}{m, m.Counts()}); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return nil
}
