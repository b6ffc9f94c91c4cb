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

// Over every schedule of one fault with two workers or three, and every built-in
// executor, porcupine and the invariants agree, and both find something.
func TestPorcupineAgrees(t *testing.T) {
	// By the number of workers that were handed something: beside three, one more takes
	// over from one that stands still.
	var histories, refused [5]int
	for _, e := range reference.Executors {
		f := exploreFlags{runFlags: runFlags{executor: e.Name, world: "sim", seed: 1, format: "text", given: func(n string) bool { return n == "executor" }},
			depth: 1, workers: 3, most: 3, span: 1}
		o, _, p, err := f.search()
		require.NoError(t, err)
		world, err := f.place.open(&kept{}, p)
		require.NoError(t, err)
		o.World, o.Parallel = world, 1
		o.Second = func(h *harness.History, j check.Judgement) string {
			n := atWork(h)
			histories[n]++
			broken, ok := linear.Actions(h)
			require.True(t, ok)
			refused[n] += min(1, len(broken))
			return linear.Disagrees(h, j)
		}
		r, err := search.Explore(t.Context(), o)
		require.NoError(t, err)
		for _, u := range r.Unknown {
			t.Errorf("%s: %q: %s", e.Name, u.Faults, u.Reason)
		}
		require.NoError(t, world.Close())
	}
	t.Logf("histories %v, refused %v", histories, refused)
	require.Greater(t, histories[2], 2000)
	require.Greater(t, histories[3], 2000)
	require.Greater(t, refused[2], 50, "the model refuses nothing of two workers")
	require.Greater(t, refused[3], 50, "the model refuses nothing of three workers")
}

// atWork is how many workers were handed something.
func atWork(h *harness.History) int {
	seen := map[int]bool{}
	for _, e := range h.Events {
		if e.Kind == harness.EvDeliver {
			seen[e.Worker] = true
		}
	}
	return len(seen)
}
