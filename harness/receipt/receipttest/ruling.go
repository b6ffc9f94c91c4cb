package receipttest

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/receipt"
)

// RulingOf is what a person would write at the suite's time.
func RulingOf(as string) receipt.Ruling {
	v := receipt.Ruling{As: as, By: "jo", Reason: "looked at the target", At: Start.Add(time.Hour)}
	if as == string(receipt.Confirmed) {
		v.Resource = "re_1"
	}
	return v
}

// ruled: what a person decided is stored, told to whoever claims, and decided once; the
// late worker of before can not write over it, and no worker makes the move by itself.
func ruled(t *testing.T, s receipt.Books) {
	for _, ruling := range receipt.Rulings {
		c := NewClaim(ruling.As, 1)
		r := At(t, s, c, receipt.NeedsReview)
		require.ErrorIs(t, s.Write(t.Context(), receipt.NeedsReview, r.To(ruling.To, c.Now)), receipt.ErrTransition, "a worker does not decide")
		next, err := r.Ruled(RulingOf(ruling.As))
		require.NoError(t, err)
		write(t, s, receipt.NeedsReview, next)
		got, err := s.Get(t.Context(), c.ActionID)
		require.NoError(t, err)
		assert.Equal(t, next, got)
		require.ErrorIs(t, s.Write(t.Context(), receipt.NeedsReview, next), receipt.ErrTransition, "it is decided")
		late := r
		late.State = receipt.Unknown
		require.ErrorIs(t, s.Write(t.Context(), receipt.Unknown, late), receipt.ErrTransition, "who was at it before is late")

		c.Now = Start.Add(2 * time.Hour)
		claimed := claim(t, s, c)
		if ruling.To.Settled() {
			assert.Equal(t, next, claimed, "what is decided is told")
			continue
		}
		assert.Equal(t, receipt.Approved, claimed.State)
		assert.Equal(t, r.Attempt, claimed.Attempt, "what was tried stays counted")
		assert.Equal(t, r.Fence+1, claimed.Fence)
		require.ErrorIs(t, s.Write(t.Context(), receipt.Approved, next.To(receipt.Sent, c.Now)), receipt.ErrStale)
		write(t, s, receipt.Approved, claimed.To(receipt.Sent, c.Now))
	}
	other := At(t, s, NewClaim("by hand", 1), receipt.NeedsReview)
	next, err := other.Ruled(RulingOf("rejected"))
	require.NoError(t, err)
	assert.Equal(t, harness.ClosedByPerson, next.ErrorClass)
	next.State = receipt.Confirmed
	require.ErrorIs(t, s.Write(t.Context(), receipt.NeedsReview, next), receipt.ErrTransition, "another move than the one that was decided")
}

// twoRulings: of those who decide at once one is written.
func twoRulings(t *testing.T, s receipt.Books) {
	r := At(t, s, NewClaim("a", 1), receipt.NeedsReview)
	var won atomic.Int32
	at(workers, func(i int) {
		next, err := r.Ruled(RulingOf(receipt.RulingNames()[i%len(receipt.Rulings)]))
		assert.NoError(t, err)
		if err := s.Write(t.Context(), receipt.NeedsReview, next); err == nil {
			won.Add(1)
		} else {
			assert.ErrorIs(t, err, receipt.ErrTransition)
		}
	})
	assert.EqualValues(t, 1, won.Load())
	got, err := s.Get(t.Context(), "a")
	require.NoError(t, err)
	assert.Len(t, got.Rulings, 1)
}
