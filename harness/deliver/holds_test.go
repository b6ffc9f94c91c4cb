package deliver_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness/deliver"
)

// TestHoldsWithoutHope: a hold ends where all who are at work are held, unless one of
// them began since the hand-overs were seen to.
func TestHoldsWithoutHope(t *testing.T) {
	for _, c := range []struct {
		name string
		// held are the workers of the holds, seen how many of them had begun when the
		// hand-overs were seen to.
		held   []int
		seen   int
		atWork []int
		// hopeless are the holds that end, counted from 0.
		hopeless []int
	}{
		{"nobody is held", nil, 0, []int{1}, nil},
		{"alone", []int{1}, 1, []int{1}, []int{0}},
		{"beside one that is free", []int{1}, 1, []int{1, 2}, nil},
		{"nobody is at work any more", []int{1}, 1, nil, []int{0}},
		{"each waits for the other", []int{1, 2}, 2, []int{1, 2}, []int{0, 1}},
		{"two, beside one that is free", []int{1, 2}, 2, []int{1, 2, 3}, nil},
		{"two of one worker", []int{1, 1}, 2, []int{1}, []int{0, 1}},
		{"it may have led to a hand-over", []int{1}, 0, []int{1}, nil},
		{"what led to the second may help the first", []int{1, 2}, 1, []int{1, 2}, nil},
		{"also where both are of one worker", []int{1, 1}, 1, []int{1}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var h deliver.Holds
			var all []<-chan struct{}
			for _, worker := range c.held {
				all = append(all, h.Begin(worker))
			}
			require.Equal(t, len(c.held), h.Begun())
			hopeless := func() (out []int) {
				for i, hold := range all {
					select {
					case <-hold:
						out = append(out, i)
					default:
					}
				}
				return out
			}
			require.Equal(t, c.hopeless != nil, h.Release(c.seen, slices.Values(c.atWork)))
			require.Equal(t, c.hopeless, hopeless())
			for _, hold := range all {
				h.End(hold)
			}
			require.False(t, h.Release(h.Begun(), slices.Values(c.atWork)), "what has ended is forgotten")
			require.Equal(t, c.hopeless, hopeless())
		})
	}
}

// TestHoldsAreOver: where nobody is handed anything any more, no hold has hope, whether it
// began before or begins then.
func TestHoldsAreOver(t *testing.T) {
	var h deliver.Holds
	before := h.Begin(1)
	h.Over()
	<-before
	h.End(before)
	after := h.Begin(2)
	<-after
	h.End(after)
	require.False(t, h.Release(h.Begun(), slices.Values([]int{1, 2})), "none is left")
	h.Reset()
	require.False(t, h.Release(h.Begun(), slices.Values([]int{1})))
	again := h.Begin(1)
	select {
	case <-again:
		t.Fatal("another trial's hold has hope again")
	default:
	}
}

// TestHoldsWhereOneStandsStill: it was free when the hand-overs were seen to, and what it did
// since may have made one due.
func TestHoldsWhereOneStandsStill(t *testing.T) {
	var h deliver.Holds
	h.Begin(1)
	seen := h.Begun()
	h.Fewer()
	require.False(t, h.Release(seen, slices.Values([]int{1})))
	require.True(t, h.Release(h.Begun(), slices.Values([]int{1})))
}
