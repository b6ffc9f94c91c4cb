package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/scenarios"
	"github.com/retrydrill/drill/targets"
)

// TestParityOfNotices compares the scenarios that need a target which tells by itself,
// as the default one does not, at every built-in profile that does: the reference at
// all of them, the two that take a notice for an order or for proof at one.
func TestParityOfNotices(t *testing.T) {
	t.Parallel()
	p := &parity{used: map[difference]bool{}}
	picked, err := scenarios.Pick([]string{"event-first", "notice-astray"})
	require.NoError(t, err)
	t.Cleanup(func() { p.tell(t) })
	tell := 0
	for _, name := range targets.Names() {
		profile, err := targets.Load(name)
		require.NoError(t, err)
		if !profile.Promises().Events {
			continue
		}
		tell++
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p.compare(t, defaultExecutor, name, picked)
		})
	}
	require.GreaterOrEqual(t, tell, 3)
	if testing.Short() {
		return
	}
	for _, name := range []string{"notice-as-trigger", "notice-as-proof"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p.compare(t, name, "payments", picked)
		})
	}
}
