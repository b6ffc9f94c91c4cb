package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/check"
	"github.com/retrydrill/drill/harness/reference"
	"github.com/retrydrill/drill/harness/search"
	"github.com/retrydrill/drill/harness/search/linear"
)

// Over every schedule of one fault with two workers, and every built-in executor,
// porcupine and the invariants agree, and both find something.
func TestPorcupineAgrees(t *testing.T) {
	histories, refused := 0, 0
	for _, e := range reference.Executors {
		f := exploreFlags{runFlags: runFlags{executor: e.Name, world: "sim", seed: 1, format: "text", given: func(n string) bool { return n == "executor" }},
			depth: 1, workers: 2, span: 1}
		o, _, p, err := f.search()
		require.NoError(t, err)
		world, err := f.place.open(&kept{}, p)
		require.NoError(t, err)
		o.World, o.Parallel = world, 1
		o.Second = func(h *harness.History, j check.Judgement) string {
			histories++
			broken, ok := linear.Actions(h)
			require.True(t, ok)
			refused += min(1, len(broken))
			return linear.Disagrees(h, j)
		}
		r, err := search.Explore(t.Context(), o)
		require.NoError(t, err)
		for _, u := range r.Unknown {
			t.Errorf("%s: %q: %s", e.Name, u.Faults, u.Reason)
		}
		require.NoError(t, world.Close())
	}
	require.Greater(t, histories, 2000)
	require.Greater(t, refused, 50, "the model refuses nothing")
}
