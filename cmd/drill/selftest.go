package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/retrydrill/drill/harness/reference"
	"github.com/retrydrill/drill/harness/selftest"
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
	if err := checkParallel(f.given, f.parallel); err != nil {
		return nil, err
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
