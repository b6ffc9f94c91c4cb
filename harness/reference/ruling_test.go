package reference

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/receipt"
	"github.com/retrydrill/drill/harness/receipt/sqlite"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// rule writes what a person found.
func (x *trial) rule(id string, v receipt.Ruling) {
	x.t.Helper()
	s, err := sqlite.Open(x.t.Context(), filepath.Join(x.env.StateDir, File))
	require.NoError(x.t, err)
	defer s.Close()
	v.By, v.Reason, v.At = "jo", "looked at the target", x.clock.Now().UTC()
	next, err := x.receipt(id).Ruled(v)
	require.NoError(x.t, err)
	require.NoError(x.t, s.Write(x.t.Context(), receipt.NeedsReview, next))
}

// blind keeps no key and can not be asked.
const blind = "no-key-no-lookup"

// TestAfterARuling: what a person found is what the next delivery tells. After absence
// one request follows under the same ID, and where that one can not be told either, it
// is the person's again.
func TestAfterARuling(t *testing.T) {
	for _, c := range []struct {
		name    string
		script  []string
		ruling  receipt.Ruling
		want    harness.Outcome
		creates int
		effects int
	}{
		{"confirmed", []string{lost}, receipt.Ruling{As: "confirmed", Resource: "tic_1"}, harness.Done, 1, 1},
		{"rejected", []string{torn}, receipt.Ruling{As: "rejected"}, harness.Rejected, 1, 0},
		{"absent", []string{torn}, receipt.Ruling{As: "absent"}, harness.Done, 2, 1},
		{"absent, and in doubt again", []string{torn, torn}, receipt.Ruling{As: "absent"}, harness.NeedsReview, 2, 0},
		{"absent, and refused for good", []string{torn, card}, receipt.Ruling{As: "absent"}, harness.Rejected, 2, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := newTrialAt(t, blind, c.script...)
			x.deliver(Executors[0], job(1, actionAt(t, blind, "A")))
			require.Equal(t, harness.NeedsReview, x.last().Outcome)
			x.pastLease()
			x.deliver(Executors[0], job(2, actionAt(t, blind, "A")))
			require.Equal(t, harness.NeedsReview, x.last().Outcome)
			require.Equal(t, 1, x.creates, "nothing is sent while a person is waited for")
			x.rule("A", c.ruling)
			for n := 3; n <= 4; n++ {
				x.clock.Sleep(t.Context(), time.Hour)
				x.deliver(Executors[0], job(n, actionAt(t, blind, "A")))
				assert.Equal(t, c.want, x.last().Outcome)
			}
			if c.ruling.Resource != "" {
				assert.Equal(t, c.ruling.Resource, x.last().Resource)
			}
			assert.Equal(t, c.creates, x.creates)
			assert.Len(t, x.fake.Effects(), c.effects)
			assert.Empty(t, x.failures)
			assert.Len(t, x.receipt("A").Rulings, 1)
		})
	}
}

// TestRulingOfAStep: the step is decided by its own ID, then the action, and the next
// delivery goes on from where the steps stand.
func TestRulingOfAStep(t *testing.T) {
	x := newTrialAt(t, twoParts, plain, lost)
	x.deliver(byName(t, "asks-a-person"), job(1, order("A")))
	require.Equal(t, harness.NeedsReview, x.last().Outcome)
	require.Equal(t, receipt.NeedsReview, x.receipt("A:create").State)
	goods := x.fake.Effects()[1].Resource
	x.rule("A:create", receipt.Ruling{As: "confirmed", Resource: goods})
	x.rule("A", receipt.Ruling{As: "absent"})
	x.pastLease()
	x.deliver(Executors[0], job(2, order("A")))
	assert.Equal(t, harness.Done, x.last().Outcome)
	assert.Equal(t, goods, x.last().Resource)
	assert.Equal(t, []string{"do payment", "do goods"}, x.ledger())
	assert.Equal(t, 2, x.creates)
}

// TestApprovedByAnotherDelivery: who brings no approval of what is in doubt looks, and
// leaves another request to the delivery that brings the approval; a denial of that very
// approval ends it.
func TestApprovedByAnotherDelivery(t *testing.T) {
	open := func(t *testing.T) *bench {
		b := newBench(t)
		a := action("A", 1099)
		c := receipt.Claim{ActionID: a.ActionID, TriggerKey: job(1).TriggerKey, BusinessKey: a.BusinessKey, Effect: a.Effect, Arguments: a.Arguments,
			Digest: a.Arguments.Digest(), Approval: a.Approval, Covered: true, Owner: "w9", Lease: time.Nanosecond, Now: b.stub.clock.Now().Add(-time.Second)}
		r, _, err := b.store.Claim(t.Context(), c)
		require.NoError(t, err)
		require.NoError(t, b.store.Write(t.Context(), receipt.Approved, r.To(receipt.Sent, c.Now)))
		return b
	}
	for name, approval := range map[string]harness.Approval{"none": {Status: harness.NoGrant}, "another one, denied": {ID: "approval-0", Status: harness.Denied}} {
		t.Run(name, func(t *testing.T) {
			b := open(t)
			a := action("A", 1099)
			a.Approval = approval
			got := b.one(job(2, a))
			assert.Equal(t, []string{string(harness.Waiting), harness.ForApproval}, []string{string(got.Outcome), got.WaitsFor})
			assert.NotEmpty(t, b.stub.looked)
			assert.Empty(t, b.stub.sent)
			assert.Equal(t, done("A", "re_1"), b.one(job(3, action("A", 1099))))
		})
	}
	b := open(t)
	a := action("A", 1099)
	a.Approval.Status = harness.Denied
	assert.Equal(t, harness.Rejected, b.one(job(2, a)).Outcome)
	assert.Empty(t, b.stub.sent)
}
