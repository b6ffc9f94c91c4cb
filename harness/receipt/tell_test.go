package receipt_test

import (
	"testing"
	"time"

	"github.com/retrydrill/drill/harness/receipt"
	"github.com/stretchr/testify/assert"
)

func TestTell(t *testing.T) {
	want := map[receipt.State]receipt.Certainty{
		receipt.Prepared: receipt.No, receipt.Approved: receipt.No, receipt.Sent: receipt.Maybe, receipt.Confirmed: receipt.Yes,
		receipt.Rejected: receipt.No, receipt.Unknown: receipt.Maybe, receipt.NeedsReview: receipt.Maybe,
	}
	for _, s := range receipt.States {
		r := receipt.Receipt{ActionID: "a", State: s, Attempt: 1, Owner: "w1", LeaseUntil: midnight}
		told := receipt.Tell(r, midnight)
		assert.Equal(t, want[s], told.Done, s)
		assert.NotEmpty(t, told.Answer, s)
		assert.NotEmpty(t, told.Next, s)
		assert.Contains(t, told.Answer, "1 request ", s)
		held := receipt.Tell(r, midnight.Add(-time.Second))
		assert.Equal(t, !s.Settled(), held.Next != told.Next, "who is at work is told, in %s", s)
	}
	assert.Contains(t, receipt.Tell(receipt.Receipt{State: receipt.Rejected, ErrorClass: "approval"}, midnight).Answer, "approval")
	assert.Contains(t, receipt.Tell(receipt.Receipt{State: receipt.Confirmed, Resource: "re_1", Attempt: 2}, midnight).Answer, "re_1, 2 requests")
}
