package main

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/reference"
	"github.com/retrydrill/drill/harness/selftest"
)

func measured(t testing.TB, world string, mutants []reference.Mutant) *selftest.Matrix {
	f := selftestFlags{world: world, seed: 1, span: 30 * time.Second, given: func(string) bool { return false }}
	m, err := f.measure(context.Background(), mutants, nil)
	require.NoError(t, err)
	return m
}

// TestSelftest: every mutant is convicted by the invariant meant for it, in its
// scenario and in a second place, and every twin is cleared.
func TestSelftest(t *testing.T) {
	m := measured(t, "sim", reference.Mutants)
	for _, r := range m.Rows {
		require.Empty(t, r.Wrong, "%s: in %s broke %v", r.Mutant, r.Scenario, r.Broken)
	}
	for _, twin := range m.Twins {
		require.Empty(t, twin.Convicted, "%s at %s", twin.Executor, twin.Target)
	}
	require.Equal(t, harness.Safe, m.Verdict())
	require.Equal(t, len(reference.Classes), m.Counts().Classes)
}

// TestSelftestSeesAnEscape: what is not planted is not found, and told as an escape.
func TestSelftestSeesAnEscape(t *testing.T) {
	i := slices.IndexFunc(reference.Mutants, func(m reference.Mutant) bool { return m.Name == "no-key" })
	harmless := reference.Mutants[i]
	harmless.Name = "reference"
	m := measured(t, "sim", []reference.Mutant{harmless})
	require.Equal(t, "it escapes", m.Rows[0].Wrong)
	require.Equal(t, harness.Unsafe, m.Verdict())
}
