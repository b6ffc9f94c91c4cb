package reference

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/receipt"
	"github.com/retrydrill/drill/harness/worker"
	"github.com/retrydrill/drill/targets"
)

func recovery() worker.Job {
	return worker.Job{Protocol: worker.Protocol, Deliver: worker.DeliverRecover, Delivery: 2}
}

// left makes a receipt as an earlier life left it, with its request out or not.
func (b *bench) left(state receipt.State) {
	b.t.Helper()
	a := action("A", 1099)
	c := receipt.Claim{ActionID: "A", TriggerKey: "trigger", BusinessKey: a.BusinessKey, Effect: a.Effect, Arguments: a.Arguments,
		Digest: a.ArgumentsSHA256, Approval: a.Approval, Covered: true, Owner: "w9", Lease: b.env.Lease, Now: b.stub.clock.Now()}
	r, _, err := b.store.Claim(b.t.Context(), c)
	require.NoError(b.t, err)
	if state == receipt.Approved {
		return
	}
	next := r
	next.Attempt, next.Key.Since = 1, c.Now
	require.NoError(b.t, b.store.Write(b.t.Context(), r.State, next.To(state, c.Now)))
}

func TestRecoverySettlesWhatALookUpShows(t *testing.T) {
	b := newBench(t)
	b.left(receipt.Sent)
	b.stub.effects = append(b.stub.effects, targetsObject("A"))
	b.worker = 2
	assert.Equal(t, done("A", "re_1"), b.one(recovery()), "once the lease of the one before has run out")
	assert.Empty(t, b.stub.sent)
	assert.Equal(t, receipt.Confirmed, b.receipt("A").State)
	assert.False(t, b.stub.looked[0].Before(began.Add(b.env.Lease)), "not while another worker held it")
	out, err := b.deliver(recovery())
	require.NoError(t, err)
	assert.Empty(t, out, "nothing is left")
}

// TestRecoverySendsNothing: it has no approval at hand, so that what needs another
// request is left to the delivery.
func TestRecoverySendsNothing(t *testing.T) {
	for name, change := range map[string]func(*bench){
		"nothing was done":   func(*bench) {},
		"nothing to look by": func(b *bench) { b.stub.promises.Lookup = harness.FindPromise{} },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			change(b)
			b.left(receipt.Sent)
			b.worker = 2
			out, err := b.deliver(recovery())
			require.NoError(t, err)
			assert.Empty(t, out)
			assert.Empty(t, b.stub.sent)
			r := b.receipt("A")
			assert.Equal(t, receipt.Unknown, r.State)
			assert.False(t, r.Held(b.stub.clock.Now()), "the delivery need not wait for a lease")
			assert.Equal(t, done("A", "re_1"), b.one(job(3, action("A", 1099))))
		})
	}
	b := newBench(t)
	b.left(receipt.Approved)
	out, err := b.deliver(recovery())
	require.NoError(t, err)
	assert.Empty(t, out)
	assert.Equal(t, receipt.Approved, b.receipt("A").State)
}

// TestRecoveryLeavesWhatIsHeld: a lease that was renewed meanwhile is respected.
func TestRecoveryLeavesWhatIsHeld(t *testing.T) {
	b := newBench(t)
	b.left(receipt.Sent)
	r := b.receipt("A")
	require.NoError(t, b.store.Write(t.Context(), r.State, r.Leased(b.stub.clock.Now(), time.Hour)))
	b.store = renewing{b.store}
	out, err := b.deliver(recovery())
	require.NoError(t, err)
	assert.Empty(t, out)
	assert.Empty(t, b.stub.looked)
}

// renewing is a store whose other worker always holds on.
type renewing struct{ receipt.Store }

func (s renewing) Claim(ctx context.Context, c receipt.Claim) (receipt.Receipt, bool, error) {
	r, err := s.Get(ctx, c.ActionID)
	if err != nil {
		return receipt.Receipt{}, false, err
	}
	return receipt.Receipt{}, false, &receipt.HeldError{Receipt: r}
}

// TestALateWorkerAfterARecovery neither acts nor writes.
func TestALateWorkerAfterARecovery(t *testing.T) {
	b := newBench(t, takeover)
	b.stub.onTakeover = func() {
		b.stub.clock.Sleep(t.Context(), time.Second)
		b.worker = 2
		assert.Equal(t, done("A", "re_1"), b.one(recovery()))
		b.worker = 1
	}
	got := b.one(job(1, action("A", 1099)))
	assert.Equal(t, harness.Waiting, got.Outcome)
	assert.Equal(t, done("A", "re_1"), b.one(job(2, action("A", 1099))))
	assert.Len(t, b.stub.effects, 1)
}

// targetsObject is the effect of an action, as the stub keeps it.
func targetsObject(id string) targets.Object {
	return targets.Object{Resource: "re_1", Reference: id, Arguments: action(id, 1099).ArgumentsSHA256}
}
