package point_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/retrydrill/drill/internal/shake/point"
)

// TestVariable: what is written is read.
func TestVariable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := point.Shake{
			Seed: rapid.Uint64().Draw(t, "seed"), PerThousand: rapid.IntRange(0, 1000).Draw(t, "slow"),
			Pause: time.Duration(rapid.Int64().Draw(t, "pause")), Times: rapid.IntRange(0, 9).Draw(t, "times"),
			Sites: rapid.IntRange(0, 99).Draw(t, "sites"),
		}
		if rapid.Bool().Draw(t, "known") {
			s.Only = append([]int{}, rapid.SliceOf(rapid.IntRange(0, 99)).Draw(t, "only")...)
		}
		got, err := point.Parse(s.String())
		require.NoError(t, err)
		require.Equal(t, s, got)
	})
	for _, bad := range []string{"x", "1 2 3", "1 2 3s 4", "1 2 3 4 5", "1 2 3s 4 5 only x"} {
		_, err := point.Parse(bad)
		require.ErrorContains(t, err, point.Variable)
	}
}

// TestSlow: a seed draws the same places each time, and another one others.
func TestSlow(t *testing.T) {
	s := point.Shake{Seed: 1, PerThousand: 100, Sites: 10_000}
	require.InDelta(t, 1000, len(s.Slow()), 200)
	require.Equal(t, s.Slow(), s.Slow())
	other := s
	other.Seed = 2
	require.NotEqual(t, s.Slow(), other.Slow())
	s.Only = []int{3}
	require.Equal(t, []int{3}, s.Slow())
	require.Empty(t, point.Shake{Only: []int{}, PerThousand: 1000, Sites: 5}.Slow())
}
