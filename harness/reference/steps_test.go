package reference

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/receipt"
	"github.com/retrydrill/drill/harness/worker"
)

// order is an approved order of a payment and goods.
func order(id string) worker.JobAction {
	a := action(id, 1099)
	a.BusinessKey, a.Effect = "order-1", "order"
	a.Arguments = harness.Arguments{"amount": int64(1099), "sku": "lamp"}
	a.ArgumentsSHA256 = a.Arguments.Digest()
	a.Approval.ArgumentsSHA256 = a.ArgumentsSHA256
	return a
}

// ledger is what was done and what was taken back, in order.
func (x *trial) ledger() (out []string) {
	for _, e := range x.fake.Effects() {
		out = append(out, e.Kind+" "+e.Part)
	}
	return out
}

// stands counts the effects that were not taken back.
func (x *trial) stands() (n int) {
	for _, e := range x.fake.Effects() {
		if e.Kind == harness.Undo {
			n--
		} else {
			n++
		}
	}
	return n
}

// twoParts is a target at which an effect is a payment and goods.
const twoParts = "../../fakes/testdata/two-parts.yaml"

const refusedGoods = "rejected_permanent"

func TestSteps(t *testing.T) {
	both := []string{"do payment", "do goods"}
	back := []string{"do payment", "undo payment"}
	for _, c := range []struct {
		name    string
		script  []string
		want    harness.Outcome
		ledger  []string
		creates int
	}{
		{"plain", nil, harness.Done, both, 2},
		{"the first answer lost", []string{lost}, harness.Done, both, 2},
		{"the first request lost", []string{torn}, harness.Done, both, 3},
		{"killed after the first", []string{killedAfter}, harness.Done, both, 2},
		{"killed before the second", []string{plain, killedBefore}, harness.Done, both, 3},
		{"the second answer lost", []string{plain, lost}, harness.Done, both, 2},
		{"killed after the second", []string{plain, killedAfter}, harness.Done, both, 2},
		{"the first refused", []string{card}, harness.Rejected, nil, 1},
		{"the second refused", []string{plain, card}, harness.Rejected, back, 3},
		{"the undo's answer lost", []string{plain, card, lost}, harness.Rejected, back, 3},
		{"the undo's request lost", []string{plain, card, torn}, harness.Rejected, back, 4},
		{"killed after the undo", []string{plain, card, killedAfter}, harness.Rejected, back, 3},
		{"killed before the undo", []string{plain, card, killedBefore}, harness.Rejected, back, 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := newTrialAt(t, twoParts, c.script...)
			x.deliver(Executors[0], job(1, order("A")))
			x.pastLease()
			x.deliver(Executors[0], job(2, order("A")))
			require.Empty(t, x.failures)
			assert.Equal(t, c.want, x.last().Outcome, x.last().Detail)
			assert.Equal(t, c.ledger, x.ledger())
			assert.Equal(t, c.creates, x.creates)
			if c.want == harness.Rejected {
				assert.Equal(t, refusedGoods, x.last().ErrorClass)
			}
			for _, e := range x.fake.Effects() {
				if e.Kind == harness.Do {
					assert.Equal(t, "A", e.Reference)
					assert.Equal(t, "A:"+e.Op, e.Key, "each operation has a key of its own")
				}
			}
		})
	}
}

// TestStepsHaveReceipts: each with a state of its own, the action's settled last.
func TestStepsHaveReceipts(t *testing.T) {
	x := newTrialAt(t, twoParts, plain, card)
	x.deliver(Executors[0], job(1, order("A")))
	want := map[string]receipt.State{"A": receipt.Rejected, "A:pay": receipt.Confirmed, "A:create": receipt.Rejected, "A:cancel": receipt.Confirmed}
	for id, state := range want {
		r := x.receipt(id)
		assert.Equal(t, state, r.State, id)
		if id != "A" {
			assert.Equal(t, []receipt.State{receipt.Prepared, receipt.Approved, receipt.Sent, state}, states(r), "durable before it leaves")
		}
	}
	all := x.receipt("A")
	for _, id := range []string{"A:pay", "A:create", "A:cancel"} {
		step := x.receipt(id)
		assert.False(t, all.Last(receipt.Rejected).Before(step.Last(want[id])), "settled last")
	}
}

// TestStepsAfterANewApproval: what was taken back is made anew, under other keys.
func TestStepsAfterANewApproval(t *testing.T) {
	x := newTrialAt(t, twoParts, plain, card)
	x.deliver(Executors[0], job(1, order("A")))
	again := order("A")
	again.Approval.ID = "approval-2"
	x.deliver(Executors[0], job(2, again))
	require.Empty(t, x.failures)
	assert.Equal(t, harness.Done, x.last().Outcome, x.last().Detail)
	assert.Equal(t, []string{"do payment", "undo payment", "do payment", "do goods"}, x.ledger())
	assert.Equal(t, "A:pay:2", x.fake.Effects()[2].Key)
}

// TestARefusedStepKeepsItsKey: what was refused was never made, and goes on as any action
// does: under the key that it had, until that is seen to hold the refusal.
func TestARefusedStepKeepsItsKey(t *testing.T) {
	again := order("A")
	again.Approval.ID = "approval-2"
	for _, c := range []struct {
		name   string
		script []string
		step   string
		keys   []string
		sent   int
	}{
		{"the first, in doubt before", []string{torn, barred}, "A:pay", []string{"A:pay:g2", "A:create"}, 5},
		{"the second, in doubt before", []string{plain, torn, barred}, "A:create", []string{"A:pay", "A:cancel", "A:pay:2", "A:create:g2"}, 7},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := newTrialAt(t, twoParts, c.script...)
			x.deliver(Executors[0], job(1, order("A")))
			require.Equal(t, harness.Rejected, x.last().Outcome, x.last().Detail)
			x.deliver(Executors[0], job(2, again))
			assert.Equal(t, harness.Done, x.last().Outcome, x.last().Detail)
			var keys []string
			for _, e := range x.fake.Effects() {
				keys = append(keys, e.Key)
			}
			assert.Equal(t, c.keys, keys)
			assert.Equal(t, c.sent, x.creates)
			assert.Equal(t, 4, x.receipt(c.step).Attempt)
		})
	}
}

// TestStepsGoOnUnderTheNewerApproval: whoever takes over, and has the older one.
func TestStepsGoOnUnderTheNewerApproval(t *testing.T) {
	x := newTrialAt(t, twoParts, plain, card, plain, killedAfter)
	x.deliver(Executors[0], job(1, order("A")))
	again := order("A")
	again.Approval.ID = "approval-2"
	x.deliver(Executors[0], job(2, again))
	x.pastLease()
	x.deliver(Executors[0], job(3, order("A")))
	require.Empty(t, x.failures)
	assert.Equal(t, harness.Done, x.last().Outcome, x.last().Detail)
	assert.Equal(t, []string{"do payment", "undo payment", "do payment", "do goods"}, x.ledger())
	assert.Equal(t, "approval-2", x.receipt("A:create").ApprovalID)
}

// TestTheLastStepTellsOfAll: it was made, so that all before it were, whatever became of
// their records.
func TestTheLastStepTellsOfAll(t *testing.T) {
	x := newTrialAt(t, twoParts)
	s, err := InFile(&x.env)
	require.NoError(t, err)
	a := order("A")
	a.Approval.SingleUse = false
	_, _, err = s.Claim(t.Context(), receipt.Claim{ActionID: "A:create", TriggerKey: "trigger", BusinessKey: a.BusinessKey, Effect: a.Effect + ":create",
		Arguments: a.Arguments, Digest: a.ArgumentsSHA256, Approval: a.Approval, Covered: true, Owner: "w1", Lease: time.Second, Now: x.clock.Now()})
	require.NoError(t, err)
	r, err := s.Get(t.Context(), "A:create")
	require.NoError(t, err)
	r.Resource = "ord_1"
	for _, to := range []receipt.State{receipt.Sent, receipt.Confirmed} {
		next := r.To(to, x.clock.Now())
		require.NoError(t, s.Write(t.Context(), r.State, next))
		r = next
	}
	require.NoError(t, s.Close())
	x.deliver(Executors[0], job(2, a))
	require.Empty(t, x.failures)
	assert.Equal(t, done("A", "ord_1"), x.last())
	assert.Zero(t, x.creates, "nothing is asked for")
}

// TestTakingBackIsGoneThroughWith: an approval that comes while something is taken back
// leads on only once that is certain, and nothing rests on what is gone.
func TestTakingBackIsGoneThroughWith(t *testing.T) {
	for name, script := range map[string][]string{
		"killed before the undo": {plain, card, killedBefore}, "killed after the undo": {plain, card, killedAfter},
	} {
		t.Run(name, func(t *testing.T) {
			x := newTrialAt(t, twoParts, script...)
			x.deliver(Executors[0], job(1, order("A")))
			x.pastLease()
			again := order("A")
			again.Approval.ID = "approval-2"
			x.deliver(Executors[0], job(2, again))
			require.Empty(t, x.failures)
			assert.Equal(t, harness.Done, x.last().Outcome, x.last().Detail)
			assert.Equal(t, []string{"do payment", "undo payment", "do payment", "do goods"}, x.ledger())
		})
	}
}

// TestAttemptsAreBoundedOverAllRounds: what was taken back counts.
func TestAttemptsAreBoundedOverAllRounds(t *testing.T) {
	x := newTrialAt(t, twoParts, throttle, throttle, throttle, plain, card, plain, throttle, throttle)
	x.deliver(Executors[0], job(1, order("A")))
	require.Equal(t, harness.Rejected, x.last().Outcome, x.last().Detail)
	again := order("A")
	again.Approval.ID = "approval-2"
	x.deliver(Executors[0], job(2, again))
	assert.Equal(t, harness.Rejected, x.last().Outcome, x.last().Detail)
	assert.Equal(t, harness.AttemptsSpent, x.last().ErrorClass)
	assert.Equal(t, 5, x.receipt("A:pay").Attempt+x.receipt("A:pay:2").Attempt)
}

// TestStepsWithoutConsent: an approval that was withdrawn half-way leaves nothing.
func TestStepsWithoutConsent(t *testing.T) {
	x := newTrialAt(t, twoParts, killedAfter)
	x.deliver(Executors[0], job(1, order("A")))
	x.pastLease()
	withdrawn := order("A")
	withdrawn.Approval.Status = harness.Denied
	x.deliver(Executors[0], job(2, withdrawn))
	require.Empty(t, x.failures)
	assert.Equal(t, harness.Rejected, x.last().Outcome)
	assert.Equal(t, harness.ApprovalMissing, x.last().ErrorClass)
	assert.Equal(t, []string{"do payment", "undo payment"}, x.ledger())
}

// TestRecoveryOfSteps: what is only half-way is left to the delivery.
func TestRecoveryOfSteps(t *testing.T) {
	x := newTrialAt(t, twoParts, plain, killedAfter)
	x.deliver(Executors[0], job(1, order("A")))
	x.pastLease()
	x.deliver(Executors[0], recovery())
	require.Empty(t, x.failures)
	assert.Equal(t, harness.Done, x.last().Outcome, "both parts are there")

	x = newTrialAt(t, twoParts, killedAfter)
	x.deliver(Executors[0], job(1, order("A")))
	x.pastLease()
	x.deliver(Executors[0], recovery())
	require.Empty(t, x.failures)
	assert.Empty(t, x.reports)
	x.deliver(Executors[0], job(3, order("A")))
	assert.Equal(t, harness.Done, x.last().Outcome)
	assert.Equal(t, []string{"do payment", "do goods"}, x.ledger())
}

func TestStepNames(t *testing.T) {
	x := &executor{outfit: &outfit{promises: harness.Promises{Steps: []harness.Step{{Op: "pay", Undo: "cancel"}, {Op: "create"}}}}}
	for id, want := range map[string][2]string{"A:pay": {"A", "pay"}, "A:cancel": {"A", "cancel"}, "A:create:3": {"A", "create"},
		"A:b:pay": {"A:b", "pay"}, "A": {}, "A:payment": {}, "A:pay:x": {}, "pay": {}, "A:find": {}} {
		action, op, is := x.stepOf(id)
		assert.Equal(t, want, [2]string{action, op}, id)
		assert.Equal(t, want[1] != "", is, id)
	}
}
