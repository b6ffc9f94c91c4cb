package reference

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/receipt"
	"github.com/retrydrill/drill/harness/worker"
)

// TestNothingOfALifeIsLeft: an executor whose life is over has nothing of it, whatever
// happened, and acts in the next one as a new one does.
func TestNothingOfALifeIsLeft(t *testing.T) {
	x, m := &executor{}, &outfits{rules: Careful()}
	for _, orders := range []*orders{
		{},
		{script: []worker.RecordOrder{worker.RecordPass, worker.RecordLose}},
		{script: []worker.RecordOrder{worker.RecordPass, worker.RecordFail}},
	} {
		trial := newTrial(t, lost)
		trial.env.Records = orders
		x.room = room{claimed: receipt.Claim{ActionID: "left"}, came: receipt.Decision{Fresh: true}, next: receipt.Receipt{Attempt: 7}}
		require.NoError(t, x.begin(m, InFile, &trial.env))
		said := map[string]harness.Outcome{}
		err := x.run(t.Context(), job(1, action("A", 1099), action("B", 1099)), func(r harness.Report) { said[r.ActionID] = r.Outcome })
		if orders.script == nil {
			require.NoError(t, err)
			require.Equal(t, map[string]harness.Outcome{"A": harness.Done, "B": harness.Done}, said)
		}
		require.Equal(t, len(orders.script) > 1 && orders.script[1] == worker.RecordLose, x.edge.some.Load())
		require.NoError(t, x.end())

		assert.Zero(t, x.outfit)
		assert.Zero(t, x.target)
		assert.Zero(t, x.store)
		assert.Zero(t, x.env)
		assert.Zero(t, x.handed)
		assert.Equal(t, context.Background(), x.caller.Context)
		assert.Zero(t, x.at.Load())
		assert.Zero(t, x.edge.InPlace)
		assert.Zero(t, x.edge.gate)
		assert.Zero(t, x.edge.lost)
		assert.False(t, x.edge.some.Load())
		assert.True(t, x.edge.idle())
		x.edge.first.carried = nil
		assert.Zero(t, x.edge.first)
	}
}

// TestWhoIsAtWorkIsNotUsedAgain: a life that is closed under a delivery, or whose delivery
// panicked, keeps all that it has.
func TestWhoIsAtWorkIsNotUsedAgain(t *testing.T) {
	m := &outfits{rules: Careful()}
	for name, strike := range map[string]func(*executor) error{
		"closed":   func(x *executor) error { return x.end() },
		"panicked": func(*executor) error { panic(errDied) },
	} {
		t.Run(name, func(t *testing.T) {
			x, trial := &executor{}, newTrial(t)
			trial.env.Records = gate(func() error { return strike(x) })
			require.NoError(t, x.begin(m, InFile, &trial.env))
			func() {
				defer func() {
					if recover() != nil {
						require.NoError(t, x.end())
					}
				}()
				_ = x.run(t.Context(), job(1, action("A", 1099)), func(harness.Report) {})
			}()
			assert.NotZero(t, x.store)
			assert.NotZero(t, x.env)
		})
	}
}

// gate makes no write, and does something else.
type gate func() error

func (g gate) Write(context.Context, worker.Record, func(worker.RecordOrder) worker.RecordEnd) error {
	return g()
}

// TestWhatIsKnownIsWrittenThoughTheCallerGaveUp: whichever delivery it is, and with what its
// caller's context holds.
func TestWhatIsKnownIsWrittenThoughTheCallerGaveUp(t *testing.T) {
	x := &executor{}
	type held struct{}
	for n := range 2 {
		for _, l := range []*life{&x.handed, {}} {
			l.executor = x
			ctx, giveUp := context.WithCancel(context.WithValue(t.Context(), held{}, n))
			giveUp()
			lasting := l.lasting(ctx)
			assert.NoError(t, lasting.Err())
			assert.NoError(t, context.Cause(lasting))
			assert.Nil(t, lasting.Done())
			assert.Equal(t, n, lasting.Value(held{}))
			assert.Equal(t, lasting, l.lasting(t.Context()), "one for the whole life")
			*l = life{}
		}
	}
}

// TestTwoDeliveriesAtOnce: one executor that is handed two has room for both.
func TestTwoDeliveriesAtOnce(t *testing.T) {
	b := newBench(t)
	x := &executor{outfit: &outfit{rules: b.rules, policy: mustPolicy(t, b.env.Policy), promises: b.stub.promises, profile: asIs{}}, target: b.stub, store: receipt.Placed(b.store), env: b.env}
	var said []string
	err := x.run(t.Context(), job(1, action("A", 1099)), func(r harness.Report) {
		said = append(said, r.ActionID)
		other := job(1, action("B", 1099))
		other.TriggerKey = "other"
		require.NoError(t, x.run(t.Context(), other, func(r harness.Report) { said = append(said, r.ActionID) }))
	})
	require.NoError(t, err)
	assert.Equal(t, []string{"A", "B"}, said)
	assert.Zero(t, x.handed)
}
