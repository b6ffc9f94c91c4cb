package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness/search"
	"github.com/retrydrill/drill/targets"
)

// pairsAt are the targets at which every pair of faults is tried, too: a key and a
// look-up, a key alone that keeps refusals or does not, a look-up alone that proves
// absence or does not, neither.
var pairsAt = []string{"stripe-v1", "ietf-07", "qonto", "lookup-by-reference", "deployments", "no-key-no-lookup"}

// pairs is how many schedules of pairs with two workers are run at one target. All of
// them at all targets take minutes: see .ci/explore.
const pairs = 1500

// TestTheReferenceIsSafeAtEveryTarget: under every fault with two workers and three, under
// every pair alone, and under many of the pairs with two workers where targets differ in
// what they tell. Nothing is left unjudged.
func TestTheReferenceIsSafeAtEveryTarget(t *testing.T) {
	t.Parallel()
	for _, name := range targets.Names() {
		t.Run(name, func(t *testing.T) { safeUnder(t, name, 1, 3, 0) })
	}
	if testing.Short() {
		return
	}
	for _, name := range targets.Names() {
		t.Run(name+", every pair alone", func(t *testing.T) { safeUnder(t, name, 2, 1, 0) })
	}
	for _, name := range pairsAt {
		t.Run(name+", pairs", func(t *testing.T) { safeUnder(t, name, 2, 2, pairs) })
	}
}

func safeUnder(t *testing.T, target string, depth, workers, budget int) {
	f := exploreFlags{runFlags: runFlags{executor: "reference", targets: []string{target}, world: "sim", seed: 1, format: "text",
		given: func(n string) bool { return n == "executor" || n == "target" }}, depth: depth, workers: workers, most: workers, span: 1, budget: budget}
	o, _, p, err := f.search()
	require.NoError(t, err)
	world, err := f.place.open(&kept{}, p)
	require.NoError(t, err)
	defer func() { require.NoError(t, world.Close()) }()
	o.World, o.Parallel = world, 2
	r, err := search.Explore(t.Context(), o)
	require.NoError(t, err)
	for _, x := range r.Findings {
		t.Errorf("%v by %q: %+v", x.Invariants, x.Lines(), x.Violations)
	}
	for _, u := range r.Unknown {
		t.Errorf("%q: %s", u.Faults, u.Reason)
	}
	require.Greater(t, r.Ran, 250)
	require.True(t, r.Stable)
}
