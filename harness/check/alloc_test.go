// What is allocated can be counted only without the race detector, under which pools
// forget at random.

//go:build !race

package check

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
)

// TestJudgingAgainIsCheap: a judgement of a short trial in which nothing is found allocates
// nothing. A collection in between empties the pool, which is not counted.
func TestJudgingAgainIsCheap(t *testing.T) {
	h := recorded()
	n := testing.AllocsPerRun(100, func() {
		if j := Judge(h); j.Verdict != harness.Safe || len(j.Told) != 1 {
			t.Error(j.Reason)
		}
	})
	require.Zero(t, n)
}
