package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/fakes"
	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/reference"
	"github.com/retrydrill/drill/harness/report"
	"github.com/retrydrill/drill/harness/selftest"
	"github.com/retrydrill/drill/harness/sim"
	"github.com/retrydrill/drill/harness/suite"
	"github.com/retrydrill/drill/harness/worker"
	"github.com/retrydrill/drill/scenarios"
	"github.com/retrydrill/drill/targets"
)

func measure(world string, mutants []reference.Mutant, twins []reference.Twin) (*selftest.Matrix, error) {
	f := selftestFlags{world: world, seed: 1, budget: searchBudget, given: func(string) bool { return false }}
	return f.measure(context.Background(), mutants, twins, nil)
}

func measured(t testing.TB, world string, mutants []reference.Mutant) *selftest.Matrix {
	m, err := measure(world, mutants, nil)
	require.NoError(t, err)
	return m
}

// whole is the matrix of all mutants in the sim: one run for all tests that read it.
var whole = sync.OnceValues(func() (*selftest.Matrix, error) { return measure("sim", reference.Mutants, reference.SafeTwins) })

// matrixTable is what drill selftest --format markdown prints.
func matrixTable() string {
	m, err := whole()
	if err != nil {
		panic(err)
	}
	var b strings.Builder
	if err := selftestMarkdown(&b, m, 0); err != nil {
		panic(err)
	}
	return b.String()
}

// caughtTable is the matrix by class, in short.
func caughtTable() string {
	m, err := whole()
	if err != nil {
		panic(err)
	}
	var rows [][]string
	for _, c := range reference.Classes {
		caught, all := 0, 0
		var by []string
		for _, r := range m.Rows {
			if r.Class != c.Class {
				continue
			}
			all++
			if r.NotShown == "" && r.Wrong == "" {
				caught++
				if !slices.Contains(by, r.Invariant) {
					by = append(by, r.Invariant)
				}
			}
		}
		rows = append(rows, []string{string(c.Class), c.Doc, fmt.Sprintf("%d of %d", caught, all), strings.Join(by, ", ")})
	}
	return table([]string{"class", "what goes wrong", "caught", "by"}, rows)
}

func classTable() string {
	var rows [][]string
	for _, c := range reference.Classes {
		rows = append(rows, []string{string(c.Class), c.Doc})
	}
	return table([]string{"class", "what goes wrong"}, rows)
}

// caseTable is what stands for each public report.
func caseTable() string {
	var rows [][]string
	for _, c := range reference.Cases {
		repository, number, _ := strings.Cut(c.Report, "#")
		by := "nothing: " + c.Why
		if names := c.StandIns(); len(names) > 0 {
			by = "`" + strings.Join(names, "`, `") + "`"
		}
		rows = append(rows, []string{c.ID, string(c.Class), c.What,
			fmt.Sprintf("[%s](https://github.com/%s/issues/%s)", c.Report, repository, number), by})
	}
	return table([]string{"case", "class", "what went wrong", "report", "in drill"}, rows)
}

// twinTable is what is like a mutant and safe.
func twinTable() string {
	var rows [][]string
	for _, t := range reference.SafeTwins {
		rows = append(rows, []string{"`" + t.Name + "`", t.Doc, "`" + strings.Join(t.Like, "`, `") + "`", strings.Join(t.Targets, ", ")})
	}
	return table([]string{"twin", "what it does", "like", "safe at"}, rows)
}

// pairTable is each naive fix beside what it fixes.
func pairTable() string {
	doc := map[string]string{}
	for _, m := range reference.Mutants {
		doc[m.Name] = m.Doc
	}
	var rows [][]string
	for _, m := range reference.Mutants {
		if m.FixOf != "" {
			rows = append(rows, []string{"`" + m.FixOf + "`", doc[m.FixOf], "`" + m.Name + "`", m.Doc, m.Invariant})
		}
	}
	return table([]string{"fault", "", "its naive fix", "", "convicted by"}, rows)
}

// TestSelftest: every mutant is convicted by the invariant meant for it, in its
// scenario and in a second place, and every twin is cleared.
func TestSelftest(t *testing.T) {
	m, err := whole()
	require.NoError(t, err)
	for _, r := range m.Rows {
		require.Empty(t, r.Wrong, "%s: in %s broke %v", r.Mutant, r.Scenario, r.Broken)
	}
	for _, twin := range m.Twins {
		require.Empty(t, twin.Convicted, "%s at %s", twin.Executor, twin.Target)
	}
	require.Equal(t, harness.Safe, m.Verdict())
	require.Equal(t, len(reference.Classes), m.Counts().Classes)
}

// TestSelftestSeesAnEscape: what is not planted is not found, and told as an escape.
func TestSelftestSeesAnEscape(t *testing.T) {
	harmless := mutant(t, "no-key")
	harmless.Name = "reference"
	m := measured(t, "sim", []reference.Mutant{harmless})
	require.Equal(t, "it escapes", m.Rows[0].Wrong)
	require.Equal(t, harness.Unsafe, m.Verdict())
}

// TestSelftestSeesAnUnsafeTwin: a twin that is none is convicted, by the catalogue and by
// the search that knows none.
func TestSelftestSeesAnUnsafeTwin(t *testing.T) {
	none := reference.Twin{Executor: reference.Executor{Name: "no-key"}, Targets: []string{defaultTarget}}
	m, err := measure("sim", nil, []reference.Twin{none})
	require.NoError(t, err)
	require.Len(t, m.Twins, 2)
	require.Empty(t, m.Twins[0].Convicted)
	require.Positive(t, m.Twins[1].Ran)
	require.Contains(t, m.Twins[1].Convicted, "lost-answer (unsafe)")
	require.Contains(t, m.Twins[1].Convicted, "create#1 response close (one-effect, reconcile-first)", m.Twins[1].Convicted)
	require.Equal(t, harness.Unsafe, m.Verdict())
}

// TestSelftestInTheWire: ten mutants, of ten classes, by real sockets and deaths.
func TestSelftestInTheWire(t *testing.T) {
	if testing.Short() {
		t.Skip("runs trials in real time")
	}
	t.Parallel()
	classes := map[reference.Class]bool{}
	for _, name := range []string{"no-key", "recovery-by-resend", "store-500", "key-with-clock", "new-run-new-names", "handle-in-memory",
		"claim-without-lease", "dedup-by-trigger", "approval-by-call-id", "done-is-forgotten"} {
		m := mutant(t, name)
		classes[m.Class] = true
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			picked, err := scenarios.Pick([]string{m.Scenario})
			require.NoError(t, err)
			run := func(executor string) []string {
				return broken(catalogueAt(t, m.Target, harness.Executor{Kind: "builtin", Name: executor}, func(o *suite.Options) { o.Scenarios = picked }))
			}
			require.Contains(t, run(name), m.Invariant)
			require.Empty(t, run(cmp.Or(m.Twin, defaultExecutor)))
		})
	}
	require.Len(t, classes, 10)
}

func mutant(t *testing.T, name string) reference.Mutant {
	i := slices.IndexFunc(reference.Mutants, func(m reference.Mutant) bool { return m.Name == name })
	require.GreaterOrEqual(t, i, 0, "no mutant %s", name)
	return reference.Mutants[i]
}

// TestMutantNamesDecideNothing: under names that tell nothing, in a shuffled catalogue
// whose names tell nothing either, every verdict of every mutant stays.
func TestMutantNamesDecideNothing(t *testing.T) {
	nameless := map[string]worker.New{}
	for i, m := range reference.Mutants {
		nameless[fmt.Sprintf("x%d", i)], nameless[m.Name] = m.New, m.New
	}
	for i, m := range reference.Mutants {
		p, err := targets.Builtin(cmp.Or(m.Target, defaultTarget))
		require.NoError(t, err)
		w := sim.New(sim.Options{Builtins: nameless, Target: fakes.Of(p)})
		sim, err := placeOf("sim")
		require.NoError(t, err)
		run := func(name string, picked []scenarios.Scenario, as func(report.Trial) string) map[string]string {
			f := selftestFlags{seed: 1}
			o, err := f.suite(sim, name, p)
			require.NoError(t, err)
			o.World, o.Scenarios = w, picked
			r, err := suite.Run(t.Context(), o, nil)
			require.NoError(t, err, name)
			return verdicts(r, as)
		}
		want := run(m.Name, scenarios.All(), plainName)
		disguised, back := disguise(scenarios.All(), uint64(i))
		require.Equal(t, want, run(fmt.Sprintf("x%d", i), disguised, func(tr report.Trial) string { return back[plainName(tr)] }), m.Name)
		require.NoError(t, w.Close())
	}
}
