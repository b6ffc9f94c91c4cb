package receipt_test

import (
	"strings"
	"testing"

	"github.com/retrydrill/drill/harness/receipt"
	"github.com/retrydrill/drill/harness/receipt/receipttest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestRulingsAreRefused: each in one sentence, and nothing of the receipt changes.
func TestRulingsAreRefused(t *testing.T) {
	r := receipt.Receipt{ActionID: "a", State: receipt.NeedsReview, Attempt: 1}
	for _, c := range []struct {
		why    string
		state  receipt.State
		change func(*receipt.Ruling)
	}{
		{`"done" is no decision: expected one of confirmed, rejected, absent`, "", func(v *receipt.Ruling) { v.As = "done" }},
		{"only what needs review is for a person to decide: a is unknown", receipt.Unknown, func(*receipt.Ruling) {}},
		{"only what needs review is for a person to decide: a is confirmed", receipt.Confirmed, func(*receipt.Ruling) {}},
		{`a resource is "" for confirmed`, "", func(v *receipt.Ruling) { v.Resource = "" }},
		{`a resource is "re_1" for absent`, "", func(v *receipt.Ruling) { v.As = "absent" }},
		{"who decides: it is empty", "", func(v *receipt.Ruling) { v.By = " " }},
		{"the reason: it is empty", "", func(v *receipt.Ruling) { v.Reason = "" }},
		{"the reason: it has a control character: expected one line", "", func(v *receipt.Ruling) { v.Reason = "a\nb" }},
		{"the reason: it has 1001 bytes: expected at most 1000", "", func(v *receipt.Ruling) { v.Reason = strings.Repeat("x", 1001) }},
		{"the resource: it has a control character", "", func(v *receipt.Ruling) { v.Resource = "re\x1b[2J" }},
	} {
		v, at := receipttest.RulingOf("confirmed"), r
		c.change(&v)
		if c.state != "" {
			at.State = c.state
		}
		got, err := at.Ruled(v)
		require.ErrorContains(t, err, c.why)
		assert.Equal(t, at, got)
	}
}

// TestAbsenceByAPersonEndsAPoisonedKey: under the old one the target would replay its
// failure for ever; a good key stays.
func TestAbsenceByAPersonEndsAPoisonedKey(t *testing.T) {
	for _, poisoned := range []bool{true, false} {
		r := receipt.Receipt{ActionID: "a", State: receipt.NeedsReview, Attempt: 1, Key: receipt.Key{Generation: 1, Since: midnight, Poisoned: poisoned}}
		for as, want := range map[string]string{"absent": map[bool]string{true: "a:g2", false: "a"}[poisoned], "rejected": "a", "confirmed": "a"} {
			next, err := r.Ruled(receipttest.RulingOf(as))
			require.NoError(t, err)
			assert.Equal(t, want, next.KeyText(), as)
			assert.Equal(t, 1, next.Attempt, "what was tried stays counted")
			assert.Equal(t, "no reason is recorded", next.Rulings[0].Found)
		}
	}
}
