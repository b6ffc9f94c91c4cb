package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/report"
	"github.com/retrydrill/drill/targets"
)

// laneRuns runs the whole catalogue with the reference executor against targets, as
// drill run does; none named is every built-in one.
func laneRuns(t *testing.T, world string, names []string) []*lane {
	t.Helper()
	f := runFlags{seed: 1, world: world, targets: names, given: func(string) bool { return false }}
	lanes, err := f.lanes(nil)
	require.NoError(t, err)
	w, err := f.place.open(&kept{}, profilesOf(lanes)...)
	require.NoError(t, err)
	defer func() { require.NoError(t, w.Close()) }()
	require.NoError(t, runLanes(t.Context(), shared{w, light}, lanes, f.sideBySide(lanes), func(*lane, []report.Trial) {}, func(*lane) {}))
	return lanes
}

// TestEveryTarget: at every shape of API the reference executor is safe. Where the
// profile offers a key or a look-up that tells, that is what ends its doubts; where it
// offers neither, a person is asked, and the report says why. In the sim that is every
// built-in one, on the wire one of each kind: drill run itself, in .ci/run, goes through
// them all there.
func TestEveryTarget(t *testing.T) {
	t.Parallel()
	t.Run("sim", func(t *testing.T) {
		lanes := laneRuns(t, "sim", nil)
		require.Len(t, lanes, len(targets.Names()))
		eachSafe(t, lanes)
	})
	t.Run(defaultWorld, func(t *testing.T) {
		t.Parallel()
		names := oneOfEachKind(t)
		require.Greater(t, len(names), 5)
		eachSafe(t, laneRuns(t, defaultWorld, names))
	})
}

// oneOfEachKind are the first profiles that promise what no profile before them does:
// a key, a look-up, proof by it, several parts, notices, another protocol.
func oneOfEachKind(t *testing.T) (out []string) {
	seen := map[string]bool{}
	for _, name := range targets.Names() {
		profile, err := targets.Builtin(name)
		require.NoError(t, err)
		p := profile.Promises()
		finds := p.CanFind()
		kind := fmt.Sprint(keepsKey(p), finds, finds && p.Lookup.Authoritative, len(profile.Steps()) > 1, p.Events, profile.Protocol)
		if !seen[kind] {
			seen[kind] = true
			out = append(out, name)
		}
	}
	return out
}

// keepsKey: a repeat under the same key is harmless.
func keepsKey(p harness.Promises) bool { return p.Key.Kept && p.Key.Same != "re-execute" }

func eachSafe(t *testing.T, lanes []*lane) {
	t.Helper()
	for _, l := range lanes {
		t.Run(l.Profile, func(t *testing.T) {
			p := l.Promises
			key := keepsKey(p)
			proves := p.CanFind() && p.Lookup.Authoritative
			left := map[string]int{}
			told := map[string]bool{}
			for _, tr := range l.run.Trials {
				require.Contains(t, []harness.Verdict{harness.Safe, harness.Skipped}, tr.Verdict, "%s: %s %v", tr.ID, tr.Reason, tr.Violations)
				if tr.Review() != "" {
					left[tr.Review()]++
				}
				for _, by := range tr.ToldBy {
					told[by] = true
				}
			}
			if key && !p.CanFind() {
				assert.True(t, told["kept key"], "a key is what tells where nothing else does")
			}
			assert.True(t, key || !told["kept key"], "a key that is not kept tells nothing")
			assert.Equal(t, key || p.CanFind(), len(told) > 0, "something told: %v", told)
			lacking := 0
			for why, n := range left {
				if strings.HasPrefix(why, "the profile offers ") {
					lacking += n
				}
			}
			if key || proves {
				assert.Zero(t, lacking, "nobody is asked what the target can tell: %v", left)
				return
			}
			assert.Positive(t, lacking, "a person is asked: %v", left)
			var b strings.Builder
			report.Text{W: &b}.Target(l.Profile, l.run.Trials, l.took)
			assert.Contains(t, b.String(), "needs_review: the profile offers no key and no look-up")
		})
	}
}

// TestOneLaneEndsAll: a target that can not be judged ends the run, and is named.
func TestOneLaneEndsAll(t *testing.T) {
	f := runFlags{seed: 1, exec: "true", targets: []string{"acp", "tickets"}, given: func(name string) bool { return name == "exec" }}
	lanes, err := f.lanes([]string{"control"})
	require.NoError(t, err)
	w, err := f.place.open(&kept{}, profilesOf(lanes)...)
	require.NoError(t, err)
	defer func() { require.NoError(t, w.Close()) }()
	err = runLanes(context.Background(), w, lanes, 1, func(*lane, []report.Trial) {}, func(*lane) {})
	require.ErrorContains(t, err, "target acp: the control")
	report.Text{W: io.Discard}.Foot(report.Join(1, runsOf(lanes)...), 0)
	assert.Empty(t, report.Join(1, runsOf(lanes)...).Trials)
}
