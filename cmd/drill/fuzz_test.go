package main

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness/search/random"
)

func fuzzing(t *testing.T, executor string, seed uint64, parallel int) (random.Options, func() error) {
	t.Helper()
	f := exploreFlags{runFlags: runFlags{executor: executor, world: "sim", seed: seed, format: "text", given: func(n string) bool { return n == "executor" }},
		depth: 1, workers: 2, most: 2, span: 1}
	o, _, p, err := f.search()
	require.NoError(t, err)
	world, err := f.place.open(&kept{}, p)
	require.NoError(t, err)
	return random.Options{World: world, Seed: seed, Parallel: parallel,
		Space: random.Space{Schedule: o.Schedule, Promises: o.Promises, Ops: opsOf(p), Carries: o.Carries, Refuses: o.Refuses, Workers: 2}}, world.Close
}

// One seed finds the same, whatever ran side by side.
func TestFuzzIsReproducible(t *testing.T) {
	var first []byte
	for _, parallel := range []int{2, 2, 4} {
		o, closes := fuzzing(t, "key-per-attempt", 5, parallel)
		o.Checks = 128
		r, err := random.Fuzz(t.Context(), o)
		require.NoError(t, err)
		require.NoError(t, closes())
		require.Equal(t, 128, r.Checks)
		b, err := json.Marshal(r)
		require.NoError(t, err)
		if first == nil {
			first = b
		}
		require.JSONEq(t, string(first), string(b))
	}
}

// Random schedules find most careless twins, each by few lines.
func TestFuzzFinds(t *testing.T) {
	for _, name := range []string{"key-per-attempt", "no-key", "timeout-as-failure", "claim-before-send", "no-digest-check", "no-trigger-dedup"} {
		o, closes := fuzzing(t, name, 1, 2)
		o.First, o.Checks = true, 400
		r, err := random.Fuzz(t.Context(), o)
		require.NoError(t, err)
		require.NoError(t, closes())
		require.NotEmpty(t, r.Findings, name)
		for _, f := range r.Findings {
			require.LessOrEqual(t, len(f.Lines()), 3, "%s: %q", name, f.Lines())
			for _, l := range f.Lines() {
				require.NotContains(t, l, "?", "%s: a line of a small schedule has struck", name)
			}
		}
	}
}
