package suite_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/report"
	"github.com/retrydrill/drill/harness/suite"
	"github.com/retrydrill/drill/scenarios"
)

func options(w harness.World, names ...string) suite.Options {
	picked, err := scenarios.Pick(names)
	if err != nil {
		panic(err)
	}
	return suite.Options{
		World: w, WorldName: "wire",
		Executor: harness.Executor{Kind: "builtin", Name: "some"},
		Promises: harness.Promises{Profile: "things", Key: harness.KeyPromise{Kept: true, Same: "replay"},
			Lookup: harness.FindPromise{By: []string{"business_key"}}},
		Action: suite.Template{Effect: "thing", BusinessKey: "k", Arguments: harness.Arguments{"amount": int64(1)},
			Changed: map[string]any{"/amount": 2}, Whole: map[string]any{"/amount": 100}},
		Limits: harness.DefaultLimits(), Scenarios: picked, Seed: 1, Parallel: 3,
	}
}

func ids(r *report.Run) []string {
	var out []string
	for _, t := range r.Trials {
		out = append(out, t.ID)
	}
	return out
}

func TestRunJudgesTheWholeCatalogueInItsOrder(t *testing.T) {
	var emitted []string
	r, err := suite.Run(t.Context(), options(&stub{}), func(ts []report.Trial) { emitted = append(emitted, ts[0].Scenario) })
	require.NoError(t, err)
	var want []string
	for _, s := range scenarios.All() {
		for _, tr := range s.Trials {
			want = append(want, s.Name+"/"+tr.Name)
		}
	}
	require.Equal(t, want, ids(r))
	require.Equal(t, scenarios.Names(), emitted)
	for _, tr := range r.Trials {
		switch tr.Scenario {
		case "lagging-look-up", "own-conflict":
			require.Equal(t, harness.Skipped, tr.Verdict, tr.ID)
			require.NotEmpty(t, tr.Reason)
		}
	}
}

func TestOrderDoesNotDependOnParallel(t *testing.T) {
	render := func(parallel int) string {
		o := options(&stub{})
		o.Parallel = parallel
		r, err := suite.Run(t.Context(), o, nil)
		require.NoError(t, err)
		var b bytes.Buffer
		require.NoError(t, r.JSON(&b))
		return b.String()
	}
	require.Equal(t, render(1), render(8))
}

// No code may read a name: other names and another order give the same schedules.
func TestSchedulesHoldNoNames(t *testing.T) {
	w := &stub{}
	o := options(w)
	_, err := suite.Run(t.Context(), o, nil)
	require.NoError(t, err)
	plain := map[uint64]string{}
	for _, s := range w.seen {
		b, err := s.Marshal()
		require.NoError(t, err)
		plain[s.Seed] = string(b)
		for _, sc := range scenarios.All() {
			if strings.Contains(sc.Name, "-") {
				require.NotContains(t, string(b), sc.Name)
			}
		}
	}
	w.seen = nil
	for i := range o.Scenarios {
		o.Scenarios[i].Name = "renamed"
		for j := range o.Scenarios[i].Trials {
			o.Scenarios[i].Trials[j].Name += " renamed"
		}
	}
	rand.Shuffle(len(o.Scenarios), func(i, j int) { o.Scenarios[i], o.Scenarios[j] = o.Scenarios[j], o.Scenarios[i] })
	_, err = suite.Run(t.Context(), o, nil)
	require.NoError(t, err)
	for _, s := range w.seen {
		b, err := s.Marshal()
		require.NoError(t, err)
		require.Equal(t, plain[s.Seed], string(b))
	}
}

func TestSeedDecidesWhatIsDrawn(t *testing.T) {
	tr := scenarios.All()[0].Trials[0]
	one := options(nil)
	two := options(nil)
	two.Seed = 2
	a, err := one.Schedule(tr)
	require.NoError(t, err)
	again, err := one.Schedule(tr)
	require.NoError(t, err)
	b, err := two.Schedule(tr)
	require.NoError(t, err)
	require.Equal(t, a, again)
	require.NotEqual(t, a.Seed, b.Seed)
	require.NotEqual(t, a.Actions[0].ID, b.Actions[0].ID)
	require.NotEqual(t, a.Actions[0].TriggerKey, a.Actions[0].ID)
}

func TestActionsAreDerived(t *testing.T) {
	o := options(nil)
	s, err := o.Schedule(scenarios.Trial{Actions: map[string]scenarios.Derived{
		"A": {Whole: true}, "B": {Like: "A"}, "C": {Changed: true}}})
	require.NoError(t, err)
	require.Len(t, s.Actions, 3)
	amounts := map[string]any{}
	seen := map[string]bool{}
	for _, a := range s.Actions {
		amounts[a.Name] = a.Arguments["amount"]
		require.Equal(t, a.Arguments.Digest(), a.Approval.ArgumentsSHA256)
		require.Equal(t, "k", a.BusinessKey)
		for _, id := range []string{a.ID, a.TriggerKey, a.Approval.ID} {
			require.False(t, seen[id], "%s is used twice", id)
			seen[id] = true
		}
	}
	require.Equal(t, map[string]any{"A": int64(100), "B": int64(100), "C": int64(2)}, amounts)
}

func TestEverySkippedTrialSaysWhy(t *testing.T) {
	o := options(&stub{}, "report-lost", "dies-having-heard", "throttled")
	o.Executor.Kind = "func"
	o.Promises.Key, o.Promises.Lookup = harness.KeyPromise{}, harness.FindPromise{}
	r, err := suite.Run(t.Context(), o, nil)
	require.NoError(t, err)
	for _, tr := range r.Trials {
		if tr.Scenario == "throttled" {
			require.NotEqual(t, harness.Skipped, tr.Verdict)
		} else {
			require.Equal(t, harness.Skipped, tr.Verdict)
			require.Contains(t, tr.Reason, "needs key-or-lookup: things keeps no idempotency key")
		}
	}
}

func TestWhatTheControlShowsIsNeeded(t *testing.T) {
	for _, warm := range []bool{false, true} {
		r, err := suite.Run(t.Context(), options(&stub{warm: warm}, "lost-answer"), nil)
		require.NoError(t, err)
		skipped := 0
		for _, tr := range r.Trials {
			if tr.Verdict == harness.Skipped {
				require.Contains(t, tr.Reason, "needs reuses-connections: the control showed that the executor does not")
				skipped++
			}
		}
		require.Equal(t, warm, skipped == 0)
	}
}

func TestUnsafeTrialsAreKept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), ".drill")
	o := options(&stub{again: true}, "control", "report-lost")
	o.Dir = dir
	r, err := suite.Run(t.Context(), o, nil)
	require.NoError(t, err)
	require.Equal(t, harness.Unsafe, r.Verdict())
	kept := 0
	for _, tr := range r.Trials {
		if tr.Verdict != harness.Unsafe {
			require.Empty(t, tr.Replay)
			continue
		}
		kept++
		b, err := os.ReadFile(tr.Replay)
		require.NoError(t, err)
		s, err := harness.ParseSchedule(b)
		require.NoError(t, err)
		require.Equal(t, tr.History.Schedule.Faults, s.Faults)
		require.Equal(t, tr.History.Schedule.Seed, s.Seed)
	}
	require.NotZero(t, kept)
	left, err := filepath.Glob(filepath.Join(dir, ".writing-*"))
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestAFolderThatCanNotBeWrittenEndsTheRunWithWhatIsKnown(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	o := options(&stub{again: true}, "control")
	o.Dir = filepath.Join(file, ".drill")
	r, err := suite.Run(t.Context(), o, nil)
	require.ErrorContains(t, err, "replay file: ")
	require.Equal(t, []string{"control/twice"}, ids(r))
	require.Equal(t, harness.Unsafe, r.Verdict())
}

func TestControlErrors(t *testing.T) {
	for _, c := range []struct {
		name string
		w    *stub
		want string
	}{
		{"no request", &stub{silent: true}, "no request reached the target"},
		{"no report", &stub{mute: true}, "it printed no report, one line of JSON for each action"},
		{"two reports", &stub{twice: true}, "it printed two reports for one action in delivery 1"},
		{"not started", &stub{silent: true, mute: true, end: "not started"}, "it could not be started"},
		{"never ends", &stub{bound: "the trial's time"}, "no delivery was acknowledged: the trial's time"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := options(c.w, "throttled")
			o.Executor = harness.Executor{Kind: "exec", Command: []string{"some"}}
			r, err := suite.Run(t.Context(), o, nil)
			var ce *suite.ControlError
			require.ErrorAs(t, err, &ce)
			require.Equal(t, c.want, ce.Reason)
			require.Empty(t, r.Trials)
			require.EqualError(t, o.Judgeable(t.Context()), err.Error(), "before a search, too")
			require.Contains(t, err.Error(), `standard input: {"protocol":1,"deliver":"actions"`)
			require.Contains(t, err.Error(), "DRILL_TARGET_URL")
			if c.w.mute {
				require.Contains(t, err.Error(), "printed: hello from the worker")
			}
		})
	}
}

// A function is told what it was handed, in words that are not a command's.
func TestControlErrorOfAFunction(t *testing.T) {
	err := options(&stub{mute: true}, "throttled").Judgeable(t.Context())
	require.ErrorContains(t, err, "it made no report")
	require.ErrorContains(t, err, `handed: {"protocol":1`)
	require.ErrorContains(t, err, "docs/go-test.md says what is expected")
	require.NotContains(t, err.Error(), "DRILL_TARGET_URL")
}

func TestAWorldThatFailsEndsTheRunWithWhatIsKnown(t *testing.T) {
	o := options(&stub{fail: errDisk}, "control", "throttled", "two-intents")
	o.Parallel = 1
	r, err := suite.Run(t.Context(), o, nil)
	require.ErrorIs(t, err, suite.ErrWorld)
	require.ErrorIs(t, err, errDisk)
	require.Equal(t, []string{"control/twice"}, ids(r))
}

func TestCancelKeepsWhatIsKnown(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o := options(&stub{gate: make(chan struct{})}, "control", "throttled", "two-intents")
	o.Parallel = 1
	r, err := suite.Run(ctx, o, func(ts []report.Trial) {
		if ts[0].Scenario == "control" {
			cancel()
		}
	})
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, []string{"control/twice"}, ids(r))
}
