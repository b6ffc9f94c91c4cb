package report_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/check"
	"github.com/retrydrill/drill/harness/report"
)

// TestTarget: a target is one line with what ended its doubts; what was left to a
// person says why, and what is not safe is told whole.
func TestTarget(t *testing.T) {
	left := func(id, why string) report.Trial {
		return report.Trial{ID: id, Scenario: "lost"}.Judged(&harness.History{}, check.Judgement{Verdict: harness.Safe, Review: why})
	}
	told := report.Trial{ID: "lost/a", Scenario: "lost"}.Judged(&harness.History{}, check.Judgement{Verdict: harness.Safe, Told: []string{"kept key", "look-up"}})
	require.Empty(t, told.Reason)
	require.Equal(t, "needs_review: nobody can tell", left("lost/b", "nobody can tell").Reason)

	render := func(trials ...report.Trial) string {
		var b strings.Builder
		report.Text{W: &b, Command: "drill"}.Target("things", trials, 1500*time.Millisecond)
		return b.String()
	}
	require.Equal(t, `safe     things                 1 safe   1 skipped      1.5s  doubts ended by a look-up in 1, a kept key in 1
`, render(told, report.Trial{ID: "b/one", Scenario: "b"}.Skip("needs key: no")))
	require.Equal(t, `safe     things                 3 safe   0 skipped      1.5s  doubts ended by nobody in 3
         needs_review: no key (2 trials)
         needs_review: no time (1 trial)
`, render(left("lost/a", "no key"), left("lost/b", "no time"), left("lost/c", "no key")))
	bad := render(told, judged())
	require.Contains(t, bad, "UNSAFE   things                 1 safe   0 skipped")
	require.Contains(t, bad, "         1 unsafe\n")
	require.Contains(t, bad, "UNSAFE   lost ")
	require.Contains(t, bad, "again:  drill replay .drill/x.yaml")
	unclear := report.Trial{ID: "x/a", Scenario: "x"}.Judged(&harness.History{}, check.Judgement{Verdict: harness.Inconclusive, Reason: "a bound was hit"})
	require.Contains(t, render(unclear), "unknown: a bound was hit")
}

// TestJoin keeps the order of the runs, and leaves out one that never began.
func TestJoin(t *testing.T) {
	one, two := &report.Run{}, &report.Run{}
	one.Add(report.Trial{ID: "a", Target: "one", Verdict: harness.Safe})
	two.Add(report.Trial{ID: "a", Target: "two", Verdict: harness.Unsafe})
	got := report.Join(7, two, nil, one)
	require.Equal(t, uint64(7), got.Seed)
	require.Equal(t, "two", got.Trials[0].Target)
	require.Equal(t, report.Summary{Safe: 1, Unsafe: 1}, got.Summary)
	require.Equal(t, harness.Unsafe, got.Verdict())
}
