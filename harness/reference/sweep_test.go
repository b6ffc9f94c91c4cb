package reference

import (
	"testing"
	"time"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/receipt"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// sweeper sweeps the receipts that a trial left.
func (x *trial) sweeper() *Sweeper {
	x.t.Helper()
	s, err := NewSweeper(x.env, InFile)
	require.NoError(x.t, err)
	x.t.Cleanup(func() { require.NoError(x.t, s.Close()) })
	return s
}

// TestSweep: what a life left is settled by looking, and nothing is ever sent.
func TestSweep(t *testing.T) {
	for _, c := range []struct {
		name, profile, script string
		want                  receipt.State
		effects               int
	}{
		{"committed, not heard", "stripe-v1", killedAfter, receipt.Confirmed, 1},
		{"never arrived", "stripe-v1", killedBefore, receipt.Rejected, 0},
		{"committed, nobody tells", "../../testdata/profiles/blind-refunds.yaml", killedAfter, receipt.NeedsReview, 1},
		{"never arrived, nobody tells", "../../testdata/profiles/blind-refunds.yaml", killedBefore, receipt.NeedsReview, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := newTrialAt(t, c.profile, c.script)
			a := actionAt(t, c.profile, "A")
			x.deliver(Executors[0], job(1, a))
			s := x.sweeper()
			left := x.receipt("A")
			require.Equal(t, receipt.Sent, left.State)

			_, err := s.Sweep(t.Context(), left, true)
			require.ErrorIs(t, err, ErrLeft, "its worker's lease is alive")
			require.ErrorContains(t, err, "w1 is at work on it")

			x.pastLease()
			got, err := s.Sweep(t.Context(), left, false)
			require.NoError(t, err)
			assert.Equal(t, c.want, got.State)
			told, err := receipt.Encode(got)
			require.NoError(t, err)
			stored, err := receipt.Encode(x.receipt("A"))
			require.NoError(t, err)
			assert.JSONEq(t, string(stored), string(told), "what is returned is stored")
			assert.Equal(t, 1, x.creates, "a sweep never sends")
			require.Len(t, x.fake.Effects(), c.effects)
			if c.want == receipt.Confirmed {
				assert.Equal(t, x.fake.Effects()[0].Resource, got.Resource)
			}

			// The delivery that comes late hears the same.
			x.pastLease()
			x.deliver(Executors[0], job(2, a))
			require.Empty(t, x.failures)
			require.Len(t, x.fake.Effects(), c.effects)
		})
	}
}

// TestSweepApproved: what is approved and not recorded as sent waits for its
// delivery, and once nothing can bring that any more is looked up like the rest.
func TestSweepApproved(t *testing.T) {
	x := newTrial(t)
	store, err := InFile(&x.env)
	require.NoError(t, err)
	defer store.Close()
	a := action("A", 1099)
	r, _, err := store.Claim(t.Context(), receipt.Claim{
		ActionID: "A", TriggerKey: "trigger", BusinessKey: a.BusinessKey, Effect: a.Effect, Arguments: a.Arguments, Digest: a.ArgumentsSHA256,
		Approval: a.Approval, Covered: true, Owner: "w1", Lease: time.Second, Now: x.clock.Now(),
	})
	require.NoError(t, err)
	s := x.sweeper()
	_, err = s.Sweep(t.Context(), r, true)
	require.ErrorIs(t, err, ErrLeft, "it is held")
	x.pastLease()
	_, err = s.Sweep(t.Context(), r, false)
	require.ErrorIs(t, err, ErrLeft)
	require.ErrorContains(t, err, "its delivery may still come")
	require.Equal(t, receipt.Approved, x.receipt("A").State)

	got, err := s.Sweep(t.Context(), r, true)
	require.NoError(t, err)
	assert.Equal(t, receipt.Rejected, got.State)
	assert.Equal(t, harness.ApprovalMissing, got.ErrorClass)
	_, err = s.Sweep(t.Context(), r, true)
	require.ErrorIs(t, err, receipt.ErrStale, "the receipt is not what it was")
	assert.Zero(t, x.creates)
	assert.Empty(t, x.fake.Effects())
}

// TestSweepBesideItsDelivery: whichever is first, there is one effect, and both say so.
func TestSweepBesideItsDelivery(t *testing.T) {
	x := newTrial(t, killedAfter)
	x.deliver(Executors[0], job(1, action("A", 1099)))
	x.pastLease()
	left := x.receipt("A")
	s := x.sweeper()
	run, stop, err := Executors[0].New(x.env)
	require.NoError(t, err)
	defer func() { require.NoError(t, stop()) }()
	done := make(chan error, 1)
	var reports []harness.Report
	go func() {
		done <- run(t.Context(), x.env, job(2, action("A", 1099)), func(r harness.Report) { reports = append(reports, r) })
	}()
	_, err = s.Sweep(t.Context(), left, true)
	if err != nil {
		assert.ErrorIs(t, err, ErrLeft)
	}
	require.NoError(t, <-done)
	require.Len(t, x.fake.Effects(), 1)
	require.Len(t, reports, 1)
	if reports[0].Outcome != harness.Waiting {
		assert.Equal(t, x.fake.Effects()[0].Resource, reports[0].Resource)
	}
}
