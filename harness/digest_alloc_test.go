// What is allocated can be counted only without the race detector, under which pools
// forget at random.

//go:build !race

package harness_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
)

// TestDigestingAgainIsFree: the arguments of an action are digested at every step.
func TestDigestingAgainIsFree(t *testing.T) {
	a := harness.Arguments{"charge": "ch_1", "amount": int64(1099), "metadata": map[string]any{"note": "x"}}
	require.Zero(t, testing.AllocsPerRun(20, func() { a.Digest() }))
}
