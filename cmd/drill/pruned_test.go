package main

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/check"
	"github.com/retrydrill/drill/harness/reference"
	"github.com/retrydrill/drill/harness/search"
)

// searching is a search of a built-in executor in the sim.
func searching(t testing.TB, executor, target string, depth, workers int) search.Options {
	f := exploreFlags{runFlags: runFlags{executor: executor, targets: []string{target}, world: "sim", seed: 1, format: "text",
		given: func(n string) bool { return n == "executor" }}, depth: depth, workers: workers, most: workers, span: 1}
	o, _, p, err := f.search()
	require.NoError(t, err)
	world, err := f.place.open(&kept{}, p)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, world.Close()) })
	o.World = world
	return o
}

// TestPrunedEndAlike runs what a search prunes since it can not end otherwise than
// another schedule, and that one: the same effects, the same reports, the same verdict.
func TestPrunedEndAlike(t *testing.T) {
	compared := 0
	try := func(executor, target string, depth, every int) {
		o := searching(t, executor, target, depth, 1)
		var pairs [][2]harness.Schedule
		o.Twin = func(pruned, like harness.Schedule) { pairs = append(pairs, [2]harness.Schedule{pruned, like}) }
		_, err := search.Explore(t.Context(), o)
		require.NoError(t, err)
		for k, p := range pairs {
			if k%every > 0 {
				continue
			}
			compared++
			require.Equal(t, outcomeOf(t, o.World, p[1]), outcomeOf(t, o.World, p[0]), "%s at %s: %v is not run, since %v is", executor, target, p[0].Faults, p[1].Faults)
		}
	}
	at := []string{defaultTarget, "lookup-by-reference", "ietf-07", "no-key-no-lookup"}
	for i, e := range reference.Executors {
		try(e.Name, at[i%len(at)], 1, 1)
	}
	for _, target := range append(at, "orders") {
		try(defaultExecutor, target, 2, 3)
	}
	require.Greater(t, compared, 100)
	t.Logf("%d schedules that are pruned were held against the one that is run", compared)
}

// outcomeOf is what came of a schedule: what stands at the target, what was reported,
// what broke.
func outcomeOf(t testing.TB, w harness.World, s harness.Schedule) (out []string) {
	h, err := w.Run(t.Context(), s)
	require.NoError(t, err)
	for _, e := range h.Events {
		switch e.Kind {
		case harness.EvEffect:
			out = append(out, fmt.Sprintln("effect", e.Action, e.Effect.Kind, e.Effect.Part, e.Effect.Resource))
		case harness.EvReport:
			out = append(out, fmt.Sprintln("report", e.Worker, e.Report.ActionID, e.Report.Outcome, e.Report.Resource, e.Report.ErrorClass))
		}
	}
	out = slices.CompactFunc(out, func(a, b string) bool { return a == b })
	j := check.Judge(h)
	return append(out, fmt.Sprintln("verdict", j.Verdict, search.Broken(j)))
}
