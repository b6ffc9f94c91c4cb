package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/fakes"
	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/report"
	"github.com/retrydrill/drill/harness/suite"
	"github.com/retrydrill/drill/harness/wire"
	"github.com/retrydrill/drill/harness/worker"
	"github.com/retrydrill/drill/scenarios"
)

// renamed are the built-in executors under names that tell nothing.
func renamed() map[string]worker.New {
	out := map[string]worker.New{}
	for i, name := range executorNames() {
		out[fmt.Sprintf("x%d", i)] = builtins()[name]
	}
	return out
}

// allBuiltins are those that a child of the test binary can be.
func allBuiltins() map[string]worker.New {
	out := builtins()
	maps.Copy(out, renamed())
	return out
}

// catalogue runs a catalogue as drill run does.
func catalogue(t *testing.T, e harness.Executor, change func(*suite.Options)) *report.Run {
	t.Helper()
	return catalogueAt(t, "", e, change)
}

// catalogueAt is catalogue at a target other than the default one.
func catalogueAt(t *testing.T, target string, e harness.Executor, change func(*suite.Options)) *report.Run {
	t.Helper()
	f := runFlags{seed: 1, targets: []string{target}, given: func(string) bool { return false }}
	o, profile, err := f.options(nil)
	require.NoError(t, err)
	o.Executor, o.Dir, o.Parallel = e, "", int(trialsAtOnce)
	if change != nil {
		change(&o)
	}
	w, err := wire.New(wire.Options{Builtins: allBuiltins(), Dir: t.TempDir(), Target: fakes.Of(profile)})
	require.NoError(t, err)
	defer func() { require.NoError(t, w.Close()) }()
	o.World = shared{w, weightOf(e)}
	r, err := suite.Run(context.Background(), o, nil)
	require.NoError(t, err)
	return r
}

// verdicts are those of each trial, under the given name of it.
func verdicts(r *report.Run, name func(report.Trial) string) map[string]string {
	out := map[string]string{}
	for _, tr := range r.Trials {
		out[name(tr)] = string(tr.Verdict)
	}
	return out
}

func plainName(tr report.Trial) string { return tr.ID }

// TestNamesDecideNothing: all names of scenarios, trials and executors replaced and
// the catalogue shuffled, every verdict stays, of one who is careful and of one who is
// not. Of all others TestMutantNamesDecideNothing tells the same in the sim.
func TestNamesDecideNothing(t *testing.T) {
	t.Parallel()
	original := scenarios.All()
	for i, name := range executorNames() {
		if !slices.Contains([]string{"reference", "key-per-attempt"}, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := verdicts(catalogue(t, harness.Executor{Kind: "builtin", Name: name}, nil), plainName)
			shuffled, back := disguise(original, uint64(i))
			got := verdicts(catalogue(t, harness.Executor{Kind: "builtin", Name: fmt.Sprintf("x%d", i)}, func(o *suite.Options) { o.Scenarios = shuffled }),
				func(tr report.Trial) string { return back[plainName(tr)] })
			require.Equal(t, want, got)
		})
	}
}

// disguise gives a catalogue names that tell nothing and shuffles it; back leads from a
// trial's new name to its own.
func disguise(original []scenarios.Scenario, seed uint64) (shuffled []scenarios.Scenario, back map[string]string) {
	back = map[string]string{}
	for i, s := range original {
		s.Trials = slices.Clone(s.Trials)
		for j := range s.Trials {
			back[fmt.Sprintf("s%d/t%d", i, j)] = s.Name + "/" + s.Trials[j].Name
			s.Trials[j].Name = fmt.Sprintf("t%d", j)
		}
		s.Name = fmt.Sprintf("s%d", i)
		shuffled = append(shuffled, s)
	}
	rand.New(rand.NewPCG(1, seed)).Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	return shuffled, back
}

// TestVerdictsDoNotChange runs the whole catalogue again and again, under other seeds.
// DRILL_RUNS says how often, else it is 3; .ci/load does it beside a load.
func TestVerdictsDoNotChange(t *testing.T) {
	t.Parallel()
	runs, err := strconv.Atoi(cmp.Or(os.Getenv("DRILL_RUNS"), "3"))
	require.NoError(t, err)
	var first map[string]string
	for i := range runs {
		got := verdicts(catalogue(t, harness.Executor{Kind: "builtin", Name: "reference"}, func(o *suite.Options) { o.Seed = uint64(i + 1) }), plainName)
		if first == nil {
			first = got
		}
		require.Equal(t, first, got, "run %d", i+1)
	}
	for name, v := range first {
		require.Contains(t, []string{"safe", "skipped"}, v, name)
	}
	t.Logf("%d runs of %d trials, no verdict changed", runs, len(first))
}

// twoParts is a target at which an effect is a payment and goods.
const twoParts = "../../fakes/testdata/two-parts.yaml"

// twins says of each careless twin which invariant is meant for it, and where it shows.
var twins = []struct {
	name, invariant, scenario string
	// target is where the default one does not show it.
	target string
}{
	{"key-per-attempt", "stable-key", "lost-answer", ""},
	{"no-key", "one-effect", "dies-after-commit", ""},
	{"timeout-as-failure", "true-report", "gateway-error", ""},
	{"retry-everything", "permanent-stops", "rejected-for-good", ""},
	{"claim-before-send", "no-lost-effect", "dies-before-sending", ""},
	{"no-digest-check", "arguments-bound", "changed-arguments", ""},
	{"no-approval-check", "approval-bound", "wrong-approval", ""},
	{"no-trigger-dedup", "one-action-per-trigger", "minted-twice", ""},
	{"dedup-by-business-key", "distinct-intents", "two-intents", ""},
	{"adopt-by-name", "distinct-intents", "batch-cut", ""},
	{"asks-a-person", "settles", "dies-before-sending", ""},
	{"says-the-token", "no-secret", "control", ""},
	{"record-after-ack", "record-first", "dies-after-commit", ""},
	{"missing-receipt-as-proof", "one-effect", "receipt-not-written", ""},
	{"recovery-by-resend", "one-effect", "recovery-races", ""},
	{"batch-resume", "one-effect", "batch-cut", ""},
	{"answer-as-approval", "approval-bound", "batch-paused", ""},
	{"notice-as-trigger", "one-effect", "event-first", "payments"},
	{"notice-as-proof", "true-report", "event-first", "payments"},
	{"half-done", "true-report", "rejected-for-good", twoParts},
	{"undo-on-unknown", "no-bad-undo", "two-operations", twoParts},
	{"undo-assumed", "true-report", "undo-in-doubt", twoParts},
}

// TestTwinsAreConvicted: each careless twin by the invariant meant for it, and there the
// reference executor is cleared.
func TestTwinsAreConvicted(t *testing.T) {
	t.Parallel()
	told := []string{defaultExecutor}
	for _, twin := range twins {
		told = append(told, twin.name)
		t.Run(twin.name, func(t *testing.T) {
			t.Parallel()
			picked, err := scenarios.Pick([]string{twin.scenario})
			require.NoError(t, err)
			run := func(executor string) *report.Run {
				return catalogueAt(t, twin.target, harness.Executor{Kind: "builtin", Name: executor}, func(o *suite.Options) { o.Scenarios = picked })
			}
			r := run(twin.name)
			require.Equal(t, harness.Unsafe, r.Verdict(), reasons(r))
			require.Contains(t, broken(r), twin.invariant)
			require.Empty(t, broken(run(defaultExecutor)))
		})
	}
	require.ElementsMatch(t, executorNames(), told, "each twin has an invariant meant for it")
}

// reasons are why a run came to its verdict.
func reasons(r *report.Run) (out []string) {
	for _, tr := range r.Trials {
		out = append(out, fmt.Sprint(tr.ID, " ", tr.Verdict, " ", tr.Reason, " ", tr.Caveats))
	}
	return out
}

func broken(r *report.Run) (out []string) {
	for _, tr := range r.Trials {
		for _, v := range tr.Violations {
			if !slices.Contains(out, v.Invariant) {
				out = append(out, v.Invariant)
			}
		}
	}
	return out
}

// TestWorkersOfOtherLanguages: programs that know nothing but URL, token, state
// directory and the actions. The careless are convicted by the invariant meant for
// them, the careful cleared, also when they are told neither worker nor delivery.
func TestWorkersOfOtherLanguages(t *testing.T) {
	if testing.Short() {
		t.Skip("starts hundreds of processes")
	}
	t.Parallel()
	const dir = "../../testdata/workers/"
	whole := scenarios.All()
	// What convicts the careless is enough, and what tells a worker its number and a
	// delivery's, or leads several of them to one action, for a second careful one.
	brief, err := scenarios.Pick([]string{"lost-answer", "dies-after-commit"})
	require.NoError(t, err)
	several, err := scenarios.Pick([]string{"dies-after-commit", "report-lost", "two-at-once", "redelivered-early", "changed-arguments"})
	require.NoError(t, err)
	for _, c := range []struct {
		command  []string
		intended []string
		// told and blind are what is run where workers are told their number and their
		// delivery's, and where they are not.
		told, blind []scenarios.Scenario
	}{
		{[]string{"python3", dir + "careful.py"}, nil, whole, several},
		{[]string{"node", dir + "careful.mjs"}, nil, several, whole},
		{[]string{"python3", dir + "careless.py"}, []string{"one-effect", "stable-key", "reconcile-first"}, brief, nil},
		{[]string{"node", dir + "careless.mjs"}, []string{"one-effect", "stable-key", "reconcile-first"}, brief, nil},
		{[]string{"bash", dir + "careless.sh"}, []string{"one-effect", "reconcile-first"}, brief, brief},
	} {
		for blind, picked := range map[bool][]scenarios.Scenario{false: c.told, true: c.blind} {
			if picked == nil {
				continue
			}
			t.Run(fmt.Sprintf("%s/blind=%v", strings.TrimPrefix(c.command[1], dir), blind), func(t *testing.T) {
				t.Parallel()
				if !have(t, c.command[0]) {
					t.Skipf("%s is missing", c.command[0])
				}
				r := catalogue(t, harness.Executor{Kind: "exec", Command: c.command}, func(o *suite.Options) {
					o.Blind, o.Scenarios = blind, picked
				})
				if c.intended != nil {
					require.Equal(t, harness.Unsafe, r.Verdict(), reasons(r))
					require.Subset(t, broken(r), c.intended)
					return
				}
				for _, tr := range r.Trials {
					require.Contains(t, []harness.Verdict{harness.Safe, harness.Skipped}, tr.Verdict, "%s: %s %v", plainName(tr), tr.Reason, tr.Violations)
					if tr.Verdict == harness.Skipped {
						require.NotEmpty(t, tr.Reason)
					}
				}
			})
		}
	}
}
