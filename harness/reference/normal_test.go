package reference

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/worker"
)

// paid is an approved payment, spelled as change says.
func paid(t *testing.T, change harness.Arguments) worker.JobAction {
	a := actionAt(t, tellingTarget, "A")
	a.Arguments = a.Arguments.Clone()
	for k, v := range change {
		a.Arguments[k] = v
	}
	return a
}

// TestNormalFormIsApproved: what was approved covers every spelling of it, at the first
// delivery and after one whose answer was lost; anything else is refused, and what has
// no normal form is refused before anything is recorded.
func TestNormalFormIsApproved(t *testing.T) {
	for _, c := range []struct {
		name   string
		change harness.Arguments
		class  string
	}{
		{"in units", harness.Arguments{"amount": "10.99"}, ""},
		{"another amount in units", harness.Arguments{"amount": "12.99"}, harness.ArgumentsChanged},
		{"ten times as much", harness.Arguments{"amount": "1099"}, harness.ArgumentsChanged},
		{"too exact", harness.Arguments{"amount": "10.991"}, harness.NotAllowed},
		{"a name for an ID", harness.Arguments{"payment_method": "the usual one"}, harness.NotAllowed},
	} {
		for _, first := range []bool{true, false} {
			t.Run(c.name, func(t *testing.T) {
				x := newTrialAt(t, tellingTarget, lost)
				if !first {
					x.deliver(Executors[0], job(1, paid(t, nil)))
					x.pastLease()
				}
				a := paid(t, c.change)
				if c.class == harness.ArgumentsChanged {
					a.ArgumentsSHA256 = a.Arguments.Digest()
				}
				x.deliver(Executors[0], job(2, a))
				require.Empty(t, x.failures)
				if c.class == "" {
					assert.Equal(t, harness.Done, x.last().Outcome)
					assert.Len(t, x.fake.Effects(), 1)
					assert.Equal(t, paid(t, nil).Arguments, x.receipt("A").Arguments, "what is kept and sent is the normal form")
					return
				}
				assert.Equal(t, harness.Rejected, x.last().Outcome)
				want := c.class
				if first && want == harness.ArgumentsChanged {
					want = harness.ApprovalMissing
				}
				assert.Equal(t, want, x.last().ErrorClass)
			})
		}
	}
}

// TestApprovalOfASpelling: a consent to the very text that was delivered covers its
// normal form.
func TestApprovalOfASpelling(t *testing.T) {
	x := newTrialAt(t, tellingTarget)
	a := paid(t, harness.Arguments{"amount": "10.99"})
	a.ArgumentsSHA256 = a.Arguments.Digest()
	a.Approval.ArgumentsSHA256 = a.ArgumentsSHA256
	x.deliver(Executors[0], job(1, a))
	assert.Equal(t, harness.Done, x.last().Outcome)
	x.deliver(Executors[0], job(2, paid(t, nil)))
	assert.Equal(t, harness.Done, x.last().Outcome, "the same intention, minted by another program")
	assert.Len(t, x.fake.Effects(), 1)
}
