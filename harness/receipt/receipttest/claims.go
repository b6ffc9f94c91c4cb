package receipttest

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness/receipt"
)

func claimMakes(t *testing.T, s receipt.Books) {
	c := NewClaim("a", 1)
	r, fresh, err := s.Claim(t.Context(), c)
	require.NoError(t, err)
	assert.True(t, fresh)
	want := receipt.Receipt{
		ActionID: "a", TriggerKey: "trigger-a", BusinessKey: "ch_1", Effect: "refund", Digest: c.Digest, Arguments: c.Arguments,
		ApprovalID: "approval-a", PolicyVersion: "1", State: receipt.Approved, Key: receipt.Key{Generation: 1},
		Owner: "w1", Fence: 1, LeaseUntil: Start.Add(Lease),
		History: []receipt.Entry{{State: receipt.Prepared, At: Start}, {State: receipt.Approved, At: Start}},
	}
	assert.Equal(t, want, r)
	got, err := s.Get(t.Context(), "a")
	require.NoError(t, err)
	assert.Equal(t, want, got)
}

func leases(t *testing.T, s receipt.Books) {
	c := NewClaim("a", 1)
	first := claim(t, s, c)
	c.Owner = "w2"
	_, _, err := s.Claim(t.Context(), c)
	var held *receipt.HeldError
	require.ErrorAs(t, err, &held)
	assert.Equal(t, first, held.Receipt)

	c.Now = Start.Add(Lease)
	second, fresh, err := s.Claim(t.Context(), c)
	require.NoError(t, err)
	assert.False(t, fresh)
	assert.Equal(t, first.Fence+1, second.Fence)

	sent := second.To(receipt.Sent, c.Now)
	late := first.To(receipt.Sent, c.Now)
	require.ErrorIs(t, s.Write(t.Context(), receipt.Approved, late), receipt.ErrStale, "the late worker may not write")
	write(t, s, receipt.Approved, sent)
	require.ErrorIs(t, s.Write(t.Context(), receipt.Approved, late), receipt.ErrStale)
	got, err := s.Get(t.Context(), "a")
	require.NoError(t, err)
	assert.Equal(t, sent, got)

	write(t, s, receipt.Sent, sent.Released())
	third := claim(t, s, c)
	assert.Equal(t, second.Fence+1, third.Fence, "a released receipt can be claimed at once")
}

func moves(t *testing.T, s receipt.Books) {
	for from := range path {
		for _, to := range receipt.States {
			c := NewClaim(string(from)+" "+string(to), 1)
			r := At(t, s, c, from)
			next := r.To(to, c.Now)
			err := s.Write(t.Context(), from, next)
			if receipt.CheckMove(from, next) == nil {
				require.NoError(t, err, "%s to %s", from, to)
				continue
			}
			require.ErrorIs(t, err, receipt.ErrTransition, "%s to %s", from, to)
			got, err := s.Get(t.Context(), c.ActionID)
			require.NoError(t, err)
			assert.Equal(t, r, got, "a refused write changes nothing")
		}
	}
	r := At(t, s, NewClaim("elsewhere", 1), receipt.Sent)
	require.ErrorIs(t, s.Write(t.Context(), receipt.Approved, r), receipt.ErrTransition, "it starts from where the receipt is not")
	missing := r
	missing.ActionID = "nowhere"
	require.ErrorIs(t, s.Write(t.Context(), receipt.Sent, missing), receipt.ErrMissing)
}

func settled(t *testing.T, s receipt.Books) {
	for _, state := range []receipt.State{receipt.Confirmed, receipt.Rejected, receipt.NeedsReview} {
		c := NewClaim(string(state), 1)
		r := At(t, s, c, state)
		c.Covered = false
		again, fresh, err := s.Claim(t.Context(), c)
		require.NoError(t, err, "what has an outcome is told whatever the approval")
		assert.False(t, fresh)
		assert.Equal(t, r, again)
	}
}

func changed(t *testing.T, s receipt.Books) {
	for state := range path {
		c := NewClaim(string(state), 1)
		r := At(t, s, c, state)
		other := NewClaim(string(state), 2)
		other.Approval, other.Covered, other.Now = c.Approval, false, Start.Add(2*Lease)
		_, _, err := s.Claim(t.Context(), other)
		var ce *receipt.ChangedError
		require.ErrorAs(t, err, &ce, state)
		assert.Equal(t, r, ce.Receipt)
		assert.Equal(t, other.Digest, ce.Digest)
	}
}

func renewed(t *testing.T, s receipt.Books) {
	c := NewClaim("a", 1)
	r := At(t, s, c, receipt.Rejected)
	assert.Equal(t, r, claim(t, s, c), "the same approval leads nowhere")

	again := NewClaim("a", 2)
	again.Approval.ID, again.Owner = "approval-2", "w2"
	got := claim(t, s, again)
	assert.Equal(t, receipt.Approved, got.State)
	assert.Equal(t, again.Digest, got.Digest)
	assert.Equal(t, "approval-2", got.ApprovalID)
	assert.Equal(t, r.Attempt, got.Attempt)
	assert.Equal(t, r.Fence+1, got.Fence)
	by, err := s.UsedBy(t.Context(), "approval-2")
	require.NoError(t, err)
	assert.Equal(t, "a", by)

	write(t, s, receipt.Approved, got.To(receipt.Sent, again.Now))
	older := NewClaim("a", 2)
	older.Owner, older.Now = "w3", Start.Add(2*Lease)
	took := claim(t, s, older)
	assert.Equal(t, receipt.Sent, took.State)
	assert.Equal(t, "approval-2", took.ApprovalID, "who comes with the older approval goes on under the newer one")
	over := took.To(receipt.Rejected, older.Now)
	write(t, s, receipt.Sent, over)
	assert.Equal(t, over, claim(t, s, older), "and leads on from its rejection no more")

	later := NewClaim("c", 1)
	later.Approval.ID, later.Delivery = "approval-c-2", 2
	over = At(t, s, later, receipt.Rejected)
	slow := NewClaim("c", 1)
	slow.Delivery = 1
	assert.Equal(t, over, claim(t, s, slow), "an approval of an earlier hand-over is the older one, whoever is first at the receipt")
	slow.TriggerKey = "trigger-of-another"
	assert.Equal(t, receipt.Approved, claim(t, s, slow).State, "hand-overs of two triggers are counted apart")

	open := At(t, s, NewClaim("b", 1), receipt.Sent)
	twin := NewClaim("b", 1)
	twin.ActionID, twin.Approval.ID, twin.Now = "b-minted-again", "approval-b-minted-again", older.Now
	assert.Equal(t, open.ApprovalID, claim(t, s, twin).ApprovalID, "what is open is not under the approval of an ID that was minted since")
}

func spent(t *testing.T, s receipt.Books) {
	claim(t, s, NewClaim("a", 1))
	b := NewClaim("b", 1)
	b.Approval.ID = "approval-a"
	_, _, err := s.Claim(t.Context(), b)
	require.ErrorIs(t, err, receipt.ErrSpent)
	_, err = s.Get(t.Context(), "b")
	require.ErrorIs(t, err, receipt.ErrMissing)

	At(t, s, NewClaim("c", 1), receipt.Rejected)
	c := NewClaim("c", 1)
	c.Approval.ID = "approval-a"
	_, _, err = s.Claim(t.Context(), c)
	require.ErrorIs(t, err, receipt.ErrSpent, "nor does it renew another action")

	d, e := NewClaim("d", 1), NewClaim("e", 1)
	d.Approval.SingleUse, e.Approval = false, d.Approval
	e.Approval.SingleUse = false
	claim(t, s, d)
	claim(t, s, e)
}

func consent(t *testing.T, s receipt.Books) {
	c := NewClaim("a", 1)
	c.Covered = false
	_, _, err := s.Claim(t.Context(), c)
	require.ErrorIs(t, err, receipt.ErrNotApproved)
	_, err = s.Get(t.Context(), "a")
	require.ErrorIs(t, err, receipt.ErrMissing)

	At(t, s, NewClaim("a", 1), receipt.Approved)
	c.Now = Start.Add(Lease)
	_, _, err = s.Claim(t.Context(), c)
	require.ErrorIs(t, err, receipt.ErrNotApproved, "what was not sent is not begun")

	b := NewClaim("b", 1)
	r := At(t, s, b, receipt.Unknown)
	b.Covered, b.Now = false, Start.Add(Lease)
	got := claim(t, s, b)
	assert.Equal(t, r.Fence+1, got.Fence, "what may be out can be looked up")
}

func alike(t *testing.T, s receipt.Books) {
	a := NewClaim("a", 1)
	r := At(t, s, a, receipt.Confirmed)
	twin := a
	twin.ActionID = "a-minted-again"
	assert.Equal(t, r, claim(t, s, twin))

	second := a
	second.ActionID, second.Ordinal, second.Approval.ID = "b", 1, "approval-b"
	assert.Equal(t, "b", claim(t, s, second).ActionID, "the trigger asked for it twice")

	other := NewClaim("c", 1)
	assert.Equal(t, "c", claim(t, s, other).ActionID, "another trigger is another intent")

	d := NewClaim("d", 3)
	refused := At(t, s, d, receipt.Rejected)
	twin = d
	twin.ActionID, twin.Approval.ID = "d-minted-again", "approval-d-minted-again"
	assert.Equal(t, refused, claim(t, s, twin), "what came with the second ID is no new approval of the first")

	for i, state := range []receipt.State{receipt.Approved, receipt.Sent} {
		e := NewClaim(fmt.Sprint("e", i), 4+i)
		At(t, s, e, state)
		twin = e
		twin.ActionID, twin.Approval.ID, twin.Now = e.ActionID+"-minted-again", "approval of its twin "+e.ActionID, Start.Add(Lease)
		got := claim(t, s, twin)
		assert.Equal(t, []string{twin.ActionID}, got.Minted)
		if state == receipt.Approved {
			sent := got.To(receipt.Sent, twin.Now)
			write(t, s, receipt.Approved, sent)
			got = sent
		}
		over := got.To(receipt.Rejected, twin.Now)
		write(t, s, receipt.Sent, over)
		assert.Equal(t, over, claim(t, s, twin), "an approval of before was answered by the refusal")
		twin.Approval.ID = "approval of what was told of " + e.ActionID
		anew := claim(t, s, twin)
		assert.Equal(t, receipt.Approved, anew.State, "what was told under the second ID is approved under it")
		assert.Equal(t, e.ActionID, anew.ActionID)
	}
}
