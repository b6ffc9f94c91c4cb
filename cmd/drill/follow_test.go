package main

import (
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

func policyFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "policy.yaml")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// TestAPolicyIsFollowed: the same executor under another document does otherwise, and
// an unsafe one is convicted.
func TestAPolicyIsFollowed(t *testing.T) {
	t.Parallel()
	run := func(text string, names ...string) *report.Run {
		t.Helper()
		f := runFlags{policy: policyFile(t, text), given: func(string) bool { return false }}
		e, err := f.follow(harness.Executor{Kind: "builtin", Name: defaultExecutor}, "")
		require.NoError(t, err)
		return catalogue(t, e, func(o *suite.Options) {
			picked, err := scenarios.Pick(names)
			require.NoError(t, err)
			o.Scenarios = picked
		})
	}
	const soon = "backoff: {initial: 1ms, max: 1ms}"
	attempts := func(r *report.Run) (most int) {
		for _, tr := range r.Trials {
			most = max(most, tr.Attempts)
		}
		return most
	}
	safe := run("limits: {max_attempts: 2, "+soon+"}\n", "lost-answer", "throttled", "gateway-error")
	require.Equal(t, harness.Safe, safe.Verdict())
	require.Equal(t, 2, attempts(run("limits: {max_attempts: 2, "+soon+"}\n", "gateway-error")))
	require.Equal(t, 4, attempts(run("limits: {max_attempts: 4, "+soon+"}\n", "gateway-error")))

	guess := run("retry_policy: {rejected_permanent: bounded_same_action_id}\n", "rejected-for-good")
	require.Equal(t, harness.Unsafe, guess.Verdict())
	require.Contains(t, broken(guess), "permanent-stops")
	hasty := run("limits: {retry_after: ignore, "+soon+"}\n", "throttled")
	require.Contains(t, broken(hasty), "bounded-attempts")
	many := run("limits: {max_attempts: 0, "+soon+"}\n", "gateway-error")
	require.Contains(t, broken(many), "bounded-attempts")
	asks := run("retry_policy: {outcome_unknown: needs_review}\n", "lost-answer")
	require.Contains(t, broken(asks), "settles")
}

func TestPoliciesThatCanNotBeFollowed(t *testing.T) {
	builtinE := harness.Executor{Kind: "builtin", Name: defaultExecutor}
	for name, c := range map[string]struct {
		path, configured string
		e                harness.Executor
		want             string
	}{
		"missing":  {"no-such-policy.yaml", "", builtinE, "no-such-policy.yaml"},
		"a place":  {policyFile(t, "limits: {max_atempts: 3}\n"), "", builtinE, `unknown key "max_atempts"`},
		"large":    {policyFile(t, "limits: {max_attempts: 3}\n#"+strings.Repeat("x", maxPolicy)), "", builtinE, "expected at most"},
		"a worker": {"", policyFile(t, "limits: {max_attempts: 3}\n"), harness.Executor{Kind: "exec", Command: []string{"true"}}, "a built-in executor follows"},
	} {
		t.Run(name, func(t *testing.T) {
			f := runFlags{policy: c.path}
			_, err := f.follow(c.e, c.configured)
			require.ErrorContains(t, err, c.want)
		})
	}
}
