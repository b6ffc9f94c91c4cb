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
	assert.Contains(t, receipt.Tell(receipt.Receipt{State: receipt.Confirmed, Resource: "re_1", Attempt: 2}, midnight).Answer, "re_1; 2 requests were sent")
}

// TestTellReview: who is called at night is told where to look, by which names, and
// with what to close it.
func TestTellReview(t *testing.T) {
	r := receipt.Receipt{ActionID: "a", BusinessKey: "ch_1", State: receipt.NeedsReview, Detail: "2 effects", Attempt: 1, Key: receipt.Key{Generation: 2},
		History: []receipt.Entry{{State: receipt.NeedsReview, At: midnight}}}
	told := receipt.Tell(r, midnight)
	assert.Equal(t, "a person has to decide since 2026-03-01 00:00:00 UTC, the evidence is ambiguous (2 effects); 1 request may have left", told.Answer)
	assert.Equal(t, "do not send it by hand: look at the target for ch_1, the reference a and the key a:g2; then drill receipts decide a --as confirmed|rejected|absent", told.Next)
	for _, c := range []struct {
		v      receipt.Ruling
		done   receipt.Certainty
		answer string
	}{
		{receipt.Ruling{As: "confirmed", Resource: "re_1"}, receipt.Yes, "done once, known since 2026-03-01 00:00:00 UTC: the target calls it re_1; 1 request was sent; jo decided: seen"},
		{receipt.Ruling{As: "rejected"}, receipt.No, "nothing was done, known since 2026-03-01 00:00:00 UTC (jo decided: seen); 1 request was sent"},
		{receipt.Ruling{As: "absent"}, receipt.No, "nothing is under way; 1 request was sent and did nothing; jo decided: seen"},
	} {
		c.v.By, c.v.Reason, c.v.At = "jo", "seen", midnight
		next, err := r.Ruled(c.v)
		assert.NoError(t, err)
		told := receipt.Tell(next, midnight)
		assert.Equal(t, c.done, told.Done)
		assert.Equal(t, c.answer, told.Answer)
	}
}
