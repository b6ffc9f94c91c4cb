package reference

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/receipt"
	"github.com/retrydrill/drill/harness/receipt/receipttest"
	"github.com/retrydrill/drill/harness/worker"
)

// orders is a gate that gives the n-th write the n-th order, and passes the rest.
type orders struct {
	script []worker.RecordOrder
	asked  []worker.Record
	ends   []worker.RecordEnd
}

func (o *orders) Write(_ context.Context, r worker.Record, commit func(worker.RecordOrder) worker.RecordEnd) error {
	order := worker.RecordPass
	if n := len(o.asked); n < len(o.script) {
		order = o.script[n]
	}
	o.asked = append(o.asked, r)
	o.ends = append(o.ends, commit(order))
	return nil
}

// TestAStoreAtTheBoundary: where the world passes everything, it is the store.
func TestAStoreAtTheBoundary(t *testing.T) {
	t.Run("suite", func(t *testing.T) {
		receipttest.Run(t, func(*testing.T) receipt.Books {
			m := receipt.NewMemory()
			return books{atBoundary(m, passing{}), m}
		})
	})
	s := receipt.NewMemory()
	assert.Same(t, s, atBoundary(s, nil), "nobody asks where nobody stands")
}

// books leaves to the store what an operator does with it.
type books struct {
	receipt.Store
	below *receipt.Memory
}

func (b books) Each(ctx context.Context, q receipt.Query, f func(receipt.Receipt) error) error {
	return b.below.Each(ctx, q, f)
}

func (b books) Archive(ctx context.Context, r receipt.Receipt, at time.Time) error {
	return b.below.Archive(ctx, r, at)
}

type passing struct{}

func (passing) Write(_ context.Context, _ worker.Record, commit func(worker.RecordOrder) worker.RecordEnd) error {
	commit(worker.RecordPass)
	return nil
}

// TestWhatCountsAsAWrite: claims that are taken and moves, no look-up, no lease.
func TestWhatCountsAsAWrite(t *testing.T) {
	o := &orders{}
	s := atBoundary(receipt.NewMemory(), o)
	c := receipttest.NewClaim("a", 1)
	r, fresh, err := s.Claim(t.Context(), c)
	require.NoError(t, err)
	require.True(t, fresh)
	other := c
	other.Owner = "other"
	_, _, err = s.Claim(t.Context(), other)
	require.ErrorIs(t, err, receipt.ErrHeld)
	require.NoError(t, s.Write(t.Context(), r.State, r.Leased(c.Now, time.Hour)))
	sent := r.To(receipt.Sent, c.Now)
	require.NoError(t, s.Write(t.Context(), r.State, sent))
	require.NoError(t, s.Write(t.Context(), receipt.Sent, sent.Released()))
	done := sent.To(receipt.Confirmed, c.Now)
	require.NoError(t, s.Write(t.Context(), receipt.Sent, done))
	_, _, err = s.Claim(t.Context(), c)
	require.NoError(t, err, "a settled receipt is returned as it is")
	var states []string
	for _, r := range o.asked {
		states = append(states, r.State)
	}
	require.Equal(t, []string{"approved", "sent", "confirmed"}, states)
}

// TestALostWrite: this life sees it, and no other.
func TestALostWrite(t *testing.T) {
	for first := range 2 {
		stored := receipt.NewMemory()
		o := &orders{script: make([]worker.RecordOrder, first+1)}
		for i := range first {
			o.script[i] = worker.RecordPass
		}
		o.script[first] = worker.RecordLose
		s := atBoundary(stored, o)
		c := receipttest.NewClaim("a", 1)
		r, _, err := s.Claim(t.Context(), c)
		require.NoError(t, err)
		sent := r.To(receipt.Sent, c.Now)
		require.NoError(t, s.Write(t.Context(), r.State, sent))
		require.NoError(t, s.Write(t.Context(), receipt.Sent, sent.Leased(c.Now, time.Hour)))
		require.ErrorIs(t, s.Write(t.Context(), receipt.Approved, sent), receipt.ErrTransition, "what is believed is held to the table")
		seen, err := s.Get(t.Context(), "a")
		require.NoError(t, err)
		require.Equal(t, receipt.Sent, seen.State)
		open, err := s.Unsettled(t.Context())
		require.NoError(t, err)
		require.Len(t, open, 1)
		done := sent.To(receipt.Confirmed, c.Now)
		require.NoError(t, s.Write(t.Context(), receipt.Sent, done))
		again, _, err := s.Claim(t.Context(), c)
		require.NoError(t, err)
		require.Equal(t, receipt.Confirmed, again.State)
		require.Equal(t, worker.RecordLost, o.ends[len(o.ends)-1], "a store does not keep the end without the beginning")

		left, err := stored.Get(t.Context(), "a")
		if first == 0 {
			require.ErrorIs(t, err, receipt.ErrMissing)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, receipt.Approved, left.State)
	}
}

// TestFailedWrites: nothing is stored, and the executor neither sends nor reports.
func TestFailedWrites(t *testing.T) {
	for _, order := range []worker.RecordOrder{worker.RecordFail, worker.RecordConflict} {
		b := newBench(t)
		stored := b.store
		b.store = atBoundary(stored, &orders{script: []worker.RecordOrder{worker.RecordPass, order}})
		out, err := b.deliver(job(1, action("A", 1099)))
		require.Empty(t, b.stub.sent, "no request without its record")
		if order == worker.RecordFail {
			require.ErrorIs(t, err, receipt.ErrUnwritable)
		} else {
			require.NoError(t, err)
			require.Equal(t, harness.Waiting, out[0].Outcome, "whoever wrote goes on with it")
		}
		b.store = stored
		b.stub.clock.Sleep(t.Context(), time.Second)
		require.Equal(t, done("A", "re_1"), b.one(job(2, action("A", 1099))))
		require.Len(t, b.stub.effects, 1)
	}
}
