// Package receipttest is the suite that every receipt store passes.
package receipttest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/receipt"
)

// Start is the time at which the suite's clock stands still.
var Start = time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC)

// Lease is what the suite's claims ask for.
const Lease = time.Second

// NewClaim is a covered claim of an action, with arguments that tell n.
func NewClaim(action string, n int) receipt.Claim {
	args := harness.Arguments{"charge": "ch_1", "amount": int64(n)}
	return receipt.Claim{
		ActionID: action, TriggerKey: "trigger-" + action, BusinessKey: "ch_1", Effect: "refund",
		Arguments: args, Digest: args.Digest(), Covered: true,
		Approval: harness.Approval{ID: "approval-" + action, ArgumentsSHA256: args.Digest(), PolicyVersion: "1",
			Status: harness.Granted, SingleUse: true},
		Owner: "w1", Lease: Lease, Now: Start,
	}
}

// Run runs the suite; open returns an empty store, which the suite closes.
func Run(t *testing.T, open func(t *testing.T) receipt.Books) {
	for _, c := range []struct {
		name string
		run  func(*testing.T, receipt.Books)
	}{
		{"a claim makes an approved receipt", claimMakes},
		{"a live lease is respected and a dead one taken over", leases},
		{"only the table's moves are written", moves},
		{"a settled receipt is returned as it is", settled},
		{"a person closes what needs review, and nobody else", ruled},
		{"two persons at once", twoRulings},
		{"other arguments are refused", changed},
		{"a new approval leads on from a rejection", renewed},
		{"a single-use approval serves one action", spent},
		{"nothing begins without consent", consent},
		{"one trigger's intent is one receipt", alike},
		{"look-ups", lookUps},
		{"many at once on one action", oneAction},
		{"many at once on many actions", manyActions},
		{"many at once with one intent under many IDs", oneIntent},
		{"many at once with one single-use approval", oneApproval},
		{"a claim beside a write", besideWrites},
		{"a clock that is set back", setBack},
		{"only what is terminal is archived", archives},
		{"an archived receipt is found and goes on", archiveTells},
		{"an archiving beside a claim", besideArchive},
		{"lists select by state and age", lists},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := open(t)
			defer func() { require.NoError(t, s.Close()) }()
			c.run(t, s)
		})
	}
}

func claim(t *testing.T, s receipt.Store, c receipt.Claim) receipt.Receipt {
	t.Helper()
	r, _, err := s.Claim(t.Context(), c)
	require.NoError(t, err)
	return r
}

func write(t *testing.T, s receipt.Store, from receipt.State, r receipt.Receipt) receipt.Receipt {
	t.Helper()
	require.NoError(t, s.Write(t.Context(), from, r))
	return r
}

// path leads a new receipt to each state.
var path = map[receipt.State][]receipt.State{
	receipt.Approved: {}, receipt.Sent: {receipt.Sent}, receipt.Unknown: {receipt.Sent, receipt.Unknown},
	receipt.Confirmed: {receipt.Sent, receipt.Confirmed}, receipt.Rejected: {receipt.Sent, receipt.Rejected},
	receipt.NeedsReview: {receipt.Sent, receipt.Unknown, receipt.NeedsReview},
}

// At returns a claimed receipt in a state that a claim can lead to.
func At(t *testing.T, s receipt.Store, c receipt.Claim, state receipt.State) receipt.Receipt {
	t.Helper()
	r := claim(t, s, c)
	for _, to := range path[state] {
		from := r.State
		r = write(t, s, from, r.To(to, c.Now))
	}
	return r
}
