package main

import (
	"cmp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/fakes"
	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/drilltest"
	"github.com/retrydrill/drill/harness/suite"
	"github.com/retrydrill/drill/scenarios"
	"github.com/retrydrill/drill/targets"
)

// TestParityInBubbles carries out the catalogue with every built-in executor and mutant
// in the sim and in testing/synctest bubbles: the same verdict, effects, outcomes, error classes
// and faults fired, and the same seen by each client. [TestParity] holds the sim to the
// wire in the same way.
func TestParityInBubbles(t *testing.T) {
	compared := 0
	for i, name := range executorNames() {
		picked := scenarios.All()
		if name != defaultExecutor && testing.Short() {
			picked = brief(picked, i, 3)
		}
		t.Run(name, func(t *testing.T) { compared += inBubbles(t, name, defaultTarget, picked) })
	}
	for i, m := range mutantsBeside() {
		picked := scenarios.All()
		if testing.Short() {
			picked = brief(picked, i, 3)
		}
		t.Run(m.Name, func(t *testing.T) { compared += inBubbles(t, m.Name, cmp.Or(m.Target, defaultTarget), picked) })
	}
	for _, target := range elsewhere {
		t.Run(target, func(t *testing.T) { compared += inBubbles(t, defaultExecutor, target, scenarios.All()) })
	}
	t.Logf("%d trials compared", compared)
}

func inBubbles(t *testing.T, executor, target string, picked []scenarios.Scenario) int {
	want := carriedOut(t, "sim", executor, target, picked, 1, 1)
	f := runFlags{seed: 1, world: "sim", executor: executor, targets: []string{target}, given: func(string) bool { return false }}
	o, _, err := f.options(nil)
	require.NoError(t, err)
	p, err := targets.Load(target)
	require.NoError(t, err)
	tape := &taped{World: drilltest.Bubbles(t, fakes.Of(p), builtins()), kept: map[uint64]*harness.History{}}
	o.World, o.Scenarios, o.Dir, o.Parallel = tape, picked, "", 2
	r, err := suite.Run(t.Context(), o, nil)
	require.NoError(t, err)
	require.Len(t, r.Trials, len(want))
	for _, tr := range r.Trials {
		assert.Equal(t, want[tr.ID], told(tr, tape.of(t, o, tr.ID)), "%s: in the sim, and in a bubble", tr.ID)
	}
	return len(want)
}
