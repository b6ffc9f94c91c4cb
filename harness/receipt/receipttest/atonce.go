package receipttest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness/receipt"
)

// rounds is how often a race is run: one start rarely meets.
const rounds = 20

// workers is how many are at it at once.
const workers = 8

func oneAction(t *testing.T, s receipt.Books) {
	won := granted(t, s, receipt.ErrHeld, func(i int) receipt.Claim {
		c := NewClaim("a", 1)
		c.Owner = fmt.Sprintf("w%d", i)
		return c
	})
	assert.EqualValues(t, 1, won, "one lease, one holder")
}

func manyActions(t *testing.T, s receipt.Books) {
	var confirmed atomic.Int32
	at(workers, func(i int) {
		for n := range 10 {
			c := NewClaim(fmt.Sprintf("a%d", n), 1)
			r, _, err := s.Claim(t.Context(), c)
			if err != nil || r.State.Settled() {
				continue
			}
			assert.NoError(t, life(t.Context(), s, r, c.Now))
			confirmed.Add(1)
		}
	})
	assert.EqualValues(t, 10, confirmed.Load())
	for n := range 10 {
		r, err := s.Get(t.Context(), fmt.Sprintf("a%d", n))
		require.NoError(t, err)
		assert.Equal(t, receipt.Confirmed, r.State)
		assert.EqualValues(t, 1, r.Fence)
	}
}

func oneIntent(t *testing.T, s receipt.Books) {
	for round := range rounds {
		first := NewClaim(fmt.Sprint("first", round), 1)
		var fresh atomic.Int32
		at(workers, func(i int) {
			c := first
			c.ActionID, c.Approval.ID = fmt.Sprint(round, " minted ", i), fmt.Sprint(round, " approval ", i)
			switch _, made, err := s.Claim(t.Context(), c); {
			case made:
				fresh.Add(1)
			case !errors.Is(err, receipt.ErrHeld):
				assert.NoError(t, err)
			}
		})
		assert.EqualValues(t, 1, fresh.Load(), "one intent, one receipt")
		all, err := s.ByTrigger(t.Context(), first.TriggerKey)
		require.NoError(t, err)
		assert.Len(t, all, 1)
	}
}

func oneApproval(t *testing.T, s receipt.Books) {
	for round := range rounds {
		approval := fmt.Sprint("approval", round)
		won := granted(t, s, receipt.ErrSpent, func(i int) receipt.Claim {
			c := NewClaim(fmt.Sprint(round, " ", i), 1)
			c.Approval.ID = approval
			return c
		})
		assert.EqualValues(t, 1, won, "one approval, one action")
	}
}

// besideWrites lets claims after the lease meet the writes of its last holder: each
// write is either before the claim, which then tells it, or refused as stale.
func besideWrites(t *testing.T, s receipt.Books) {
	for round := range rounds {
		c := NewClaim(fmt.Sprint(round), 1)
		r := At(t, s, c, receipt.Sent)
		r.Attempt++
		r = r.To(receipt.Sent, c.Now)
		c.Now = Start.Add(Lease)
		var wrote, claimed error
		var next receipt.Receipt
		at(2, func(i int) {
			if i == 0 {
				wrote = s.Write(t.Context(), receipt.Sent, r)
			} else {
				next, _, claimed = s.Claim(t.Context(), c)
			}
		})
		require.NoError(t, claimed)
		if wrote == nil {
			assert.Equal(t, r.Attempt, next.Attempt, "the claim knows what was written before it")
			continue
		}
		require.ErrorIs(t, wrote, receipt.ErrStale)
		got, err := s.Get(t.Context(), c.ActionID)
		require.NoError(t, err)
		assert.Equal(t, next, got)
	}
}

// granted has all workers claim at once, and counts those who may go on; the others are
// refused for one reason.
func granted(t *testing.T, s receipt.Books, refused error, claim func(i int) receipt.Claim) int32 {
	t.Helper()
	var won atomic.Int32
	at(workers, func(i int) {
		switch _, _, err := s.Claim(t.Context(), claim(i)); {
		case err == nil:
			won.Add(1)
		case !errors.Is(err, refused):
			assert.NoError(t, err)
		}
	})
	return won.Load()
}

// life leads a claimed receipt to its end.
func life(ctx context.Context, s receipt.Store, r receipt.Receipt, now time.Time) error {
	sent := r.To(receipt.Sent, now)
	if err := s.Write(ctx, receipt.Approved, sent); err != nil {
		return err
	}
	return s.Write(ctx, receipt.Sent, sent.To(receipt.Confirmed, now))
}

// at runs f as often at once, and waits.
func at(n int, f func(i int)) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { f(i) })
	}
	wg.Wait()
}
