package receipt_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/receipt"
)

// TestMemoryOfMany: what a few are looked through for, many are looked up for.
func TestMemoryOfMany(t *testing.T) {
	m, ctx := receipt.NewMemory(), t.Context()
	args := harness.Arguments{"charge": "ch_1"}
	claim := func(i int) receipt.Claim {
		return receipt.Claim{ActionID: fmt.Sprint("A", i), TriggerKey: fmt.Sprint("t", i), Arguments: args, Digest: args.Digest(), Covered: true,
			Approval: harness.Approval{ID: fmt.Sprint("approval-", i), SingleUse: true}, Owner: "w1", Lease: time.Minute, Now: time.Unix(0, 0)}
	}
	const many = 40
	for i := range many {
		r, fresh, err := m.Claim(ctx, claim(i))
		require.NoError(t, err)
		require.True(t, fresh)
		require.NoError(t, m.Write(ctx, receipt.Approved, r.To(receipt.Sent, time.Unix(1, 0))))
		for k := range i + 1 {
			got, err := m.Get(ctx, fmt.Sprint("A", k))
			require.NoError(t, err)
			require.Equal(t, receipt.Sent, got.State)
			by, err := m.UsedBy(ctx, fmt.Sprint("approval-", k))
			require.NoError(t, err)
			require.Equal(t, fmt.Sprint("A", k), by)
		}
		_, err = m.Get(ctx, "A-none")
		require.ErrorIs(t, err, receipt.ErrMissing)
		require.EqualError(t, err, "no such receipt: A-none")
	}
	all, err := m.Unsettled(ctx)
	require.NoError(t, err)
	require.Len(t, all, many)
	spent := claim(many)
	spent.Approval.ID = "approval-3"
	_, _, err = m.Claim(ctx, spent)
	require.ErrorIs(t, err, receipt.ErrSpent)
}

// TestEndedIsAnObject: stores of before hold it as one.
func TestEndedIsAnObject(t *testing.T) {
	var e receipt.Ended
	for _, c := range append(harness.Classes, harness.Unknown, "nonsense") {
		e.Add(c)
	}
	require.Equal(t, 2, e.Of(harness.Unknown))
	require.Equal(t, 1, e.Of(harness.Confirmed))
	require.Zero(t, e.Of("nonsense"))
	b, err := json.Marshal(e)
	require.NoError(t, err)
	require.JSONEq(t, `{"never_dispatched":1,"rejected_transient":1,"rejected_permanent":1,"confirmed":1,"unknown":2}`, string(b))
	var read receipt.Ended
	require.NoError(t, json.Unmarshal(b, &read))
	require.Equal(t, e, read)
	require.ErrorContains(t, json.Unmarshal([]byte(`{"nonsense":1}`), &read), `attempts ended in "nonsense"`)
	b, err = json.Marshal(receipt.Receipt{})
	require.NoError(t, err)
	require.NotContains(t, string(b), `"ended"`)
}

// TestADecisionIsForNow: what was decided is carried out while nothing changed, and
// decided anew where another was quicker.
func TestADecisionIsForNow(t *testing.T) {
	ctx := t.Context()
	m := receipt.NewMemory()
	args := harness.Arguments{"charge": "ch_1"}
	mine := receipt.Claim{ActionID: "A", TriggerKey: "t", Arguments: args, Digest: args.Digest(), Covered: true,
		Approval: harness.Approval{ID: "approval", SingleUse: true}, Owner: "w1", Lease: time.Minute, Now: time.Unix(0, 0)}
	var d receipt.Decision
	require.NoError(t, m.Look(ctx, &mine, &d))
	require.True(t, d.Fresh)
	_, err := m.Get(ctx, mine.ActionID)
	require.ErrorIs(t, err, receipt.ErrMissing, "to look changes nothing")

	theirs := mine
	theirs.Owner = "quicker"
	r, _, err := m.Claim(ctx, theirs)
	require.NoError(t, err)
	require.ErrorIs(t, m.Take(ctx, &mine, &d), receipt.ErrHeld)
	require.Zero(t, d)

	mine.Now = r.LeaseUntil
	require.NoError(t, m.Look(ctx, &mine, &d))
	require.NoError(t, m.Take(ctx, &mine, &d))
	require.False(t, d.Fresh)
	require.Equal(t, r.Fence+1, d.Receipt.Fence)
	kept, err := m.Get(ctx, mine.ActionID)
	require.NoError(t, err)
	require.Equal(t, d.Receipt, kept)
}

// TestNoHistoryIsWrittenOver: who is late moves its own receipt on, whoever has claimed
// the one that is stored since, or has read it.
func TestNoHistoryIsWrittenOver(t *testing.T) {
	ctx, at := t.Context(), time.Unix(0, 0)
	m := receipt.NewMemory()
	args := harness.Arguments{"charge": "ch_1"}
	c := receipt.Claim{ActionID: "A", Arguments: args, Digest: args.Digest(), Covered: true, Owner: "w1", Lease: time.Minute, Now: at}
	late, _, err := m.Claim(ctx, c)
	require.NoError(t, err)
	read, err := m.Get(ctx, "A")
	require.NoError(t, err)
	c.Now, c.Owner = late.LeaseUntil, "w2"
	quick, _, err := m.Claim(ctx, c)
	require.NoError(t, err)

	require.NoError(t, m.Put(ctx, receipt.Approved, quick.Move(receipt.Sent, at)))
	require.ErrorIs(t, m.Put(ctx, receipt.Approved, late.Move(receipt.Rejected, at)), receipt.ErrStale)
	require.Equal(t, receipt.Unknown, read.To(receipt.Unknown, at).History[2].State)
	kept, err := m.Get(ctx, "A")
	require.NoError(t, err)
	require.Equal(t, receipt.Sent, kept.History[2].State)
	require.Equal(t, receipt.Sent, quick.History[2].State)
	require.Equal(t, receipt.Rejected, late.History[2].State)
}
