package reference

import (
	"context"
	"testing"
	"time"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/receipt"
	"github.com/retrydrill/drill/harness/worker"
	"github.com/retrydrill/drill/targets"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func done(id, resource string) harness.Report {
	return harness.Report{ActionID: id, Outcome: harness.Done, Resource: resource}
}

func TestPlain(t *testing.T) {
	b := newBench(t)
	assert.Equal(t, done("A", "re_1"), b.one(job(1, action("A", 1099))))
	r := b.receipt("A")
	assert.Equal(t, []receipt.State{receipt.Prepared, receipt.Approved, receipt.Sent, receipt.Confirmed}, states(r))
	assert.Equal(t, 1, r.Attempt)
	assert.Equal(t, "req_1", r.RequestID)
	assert.Empty(t, b.stub.looked, "nothing was unknown, nothing is looked up")

	assert.Equal(t, done("A", "re_1"), b.one(job(2, action("A", 1099))), "a redelivery gets what is stored")
	assert.Len(t, b.stub.sent, 1)
}

// TestOutcomes scripts what happens to each create and says what a first delivery
// comes to.
func TestOutcomes(t *testing.T) {
	for _, c := range []struct {
		name    string
		script  []string
		want    harness.Report
		effects int
		keys    []string
		looks   int
	}{
		{"answer lost", []string{lost}, done("A", "re_1"), 1, []string{"A"}, 1},
		{"request lost", []string{torn}, done("A", "re_1"), 1, []string{"A", "A"}, 1},
		{"lost, then lost", []string{torn, lost}, done("A", "re_1"), 1, []string{"A", "A"}, 2},
		{"throttled", []string{throttle, throttle}, done("A", "re_1"), 1, []string{"A", "A", "A"}, 0},
		{"refused, then up", []string{unreachable, unreachable}, done("A", "re_1"), 1, []string{"A", "A", "A"}, 0},
		{"lost, then refused, then up", []string{torn, unreachable}, done("A", "re_1"), 1, []string{"A", "A", "A"}, 2},
		{"a failure is stored", []string{broken}, done("A", "re_1"), 1, []string{"A", "A", "A:g2"}, 2},
		{"the key is in use", []string{busy}, done("A", "re_1"), 1, []string{"A", "A"}, 4},
		{"rejected for good", []string{card}, harness.Report{ActionID: "A", Outcome: harness.Rejected,
			ErrorClass: "rejected_permanent", Detail: "the target answered 402 card_declined"}, 0, []string{"A"}, 0},
		{"lost, then rejected for good", []string{torn, card}, harness.Report{ActionID: "A", Outcome: harness.Rejected,
			ErrorClass: "rejected_permanent", Detail: "the target answered 402 card_declined"}, 0, []string{"A", "A"}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, c.script...)
			assert.Equal(t, c.want, b.one(job(1, action("A", 1099))))
			assert.Len(t, b.stub.effects, c.effects)
			assert.Equal(t, c.keys, b.keys())
			assert.Len(t, b.stub.looked, c.looks)
			assert.Equal(t, c.want, b.one(job(2, action("A", 1099))), "a redelivery reports the same")
			assert.Equal(t, c.keys, b.keys(), "and sends nothing")
		})
	}
}

func TestRetryAfterWins(t *testing.T) {
	b := newBench(t, throttle)
	b.one(job(1, action("A", 1099)))
	require.Len(t, b.stub.sentAt, 2)
	assert.GreaterOrEqual(t, b.stub.sentAt[1].Sub(b.stub.sentAt[0]), time.Second)
	assert.GreaterOrEqual(t, b.receipt("A").Fence, int64(1))

	b = newBench(t, throttle)
	b.rules.Limits.PerLife = 1
	out, err := b.deliver(job(1, action("A", 1), action("B", 2)))
	require.Error(t, err, "A's requests of this delivery are spent")
	assert.Equal(t, []harness.Report{done("B", "re_1")}, out)
	assert.GreaterOrEqual(t, b.stub.sentAt[1].Sub(b.stub.sentAt[0]), time.Second, "B asks the same target")
}

func TestALongRetryAfterOutlivesTheDelivery(t *testing.T) {
	b := newBench(t, throttle)
	b.rules.Limits.MaxWait = 500 * time.Millisecond
	for n := range 2 {
		_, err := b.deliver(job(n+1, action("A", 1099)))
		require.ErrorContains(t, err, "action A: create: rejected_transient: the target asks to wait longer")
		assert.Len(t, b.stub.sent, 1, "the next life keeps to it too")
	}
	b.stub.clock.Sleep(t.Context(), time.Second)
	assert.Equal(t, done("A", "re_1"), b.one(job(3, action("A", 1099))))
}

func TestGivenUp(t *testing.T) {
	b := newBench(t)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	x := &executor{outfit: &outfit{rules: b.rules, promises: b.stub.promises, profile: asIs{}}, target: b.stub, store: receipt.Placed(b.store), env: b.env}
	err := x.run(ctx, job(1, action("A", 1099)), func(r harness.Report) { t.Error("reported", r) })
	require.ErrorIs(t, err, context.Canceled)
	assert.Empty(t, b.stub.sent)
}

func TestNeverDispatchedFailsTheDeliveryAndIsNotCounted(t *testing.T) {
	b := newBench(t, unreachable, unreachable, unreachable, unreachable, unreachable, unreachable)
	for n := range 2 {
		out, err := b.deliver(job(n+1, action("A", 1099)))
		var ue *UnsettledError
		require.ErrorAs(t, err, &ue)
		assert.Equal(t, harness.NeverDispatched, ue.Class)
		assert.EqualError(t, ue.Err, "never_dispatched: refused")
		assert.Empty(t, out)
	}
	r := b.receipt("A")
	assert.Equal(t, 0, r.Attempt)
	assert.True(t, r.Key.Since.IsZero())
	assert.Equal(t, receipt.Approved, r.State)
	assert.Equal(t, done("A", "re_1"), b.one(job(3, action("A", 1099))))
}

func TestAttemptsAreBoundedOverAllLives(t *testing.T) {
	script := []string{throttle, throttle, throttle, throttle, throttle, throttle}
	b := newBench(t, script...)
	_, err := b.deliver(job(1, action("A", 1099)))
	require.Error(t, err)
	got := b.one(job(2, action("A", 1099)))
	assert.Equal(t, harness.Rejected, got.Outcome)
	assert.Equal(t, harness.AttemptsSpent, got.ErrorClass)
	assert.Len(t, b.stub.sent, 5)

	b = newBench(t, torn, torn, torn, torn, torn, torn)
	_, err = b.deliver(job(1, action("A", 1099)))
	require.Error(t, err)
	got = b.one(job(2, action("A", 1099)))
	assert.Equal(t, harness.AttemptsSpent, got.ErrorClass, "absence is proven")
	assert.Equal(t, harness.Rejected, got.Outcome)
	assert.Len(t, b.stub.sent, 5)

	b = newBench(t, torn, torn, torn, torn, torn, torn)
	b.stub.promises.Lookup.By = nil
	_, err = b.deliver(job(1, action("A", 1099)))
	require.Error(t, err)
	got = b.one(job(2, action("A", 1099)))
	assert.Equal(t, harness.NeedsReview, got.Outcome, "absence is not proven")
	assert.Len(t, b.stub.sent, 5)
}

func TestFailedReads(t *testing.T) {
	b := newBench(t, lost)
	b.stub.finds = []string{"x", "x"}
	assert.Equal(t, done("A", "re_1"), b.one(job(1, action("A", 1099))))
	assert.Len(t, b.stub.looked, 3)

	b = newBench(t, lost)
	b.stub.finds = []string{"x", "x", "x"}
	_, err := b.deliver(job(1, action("A", 1099)))
	require.ErrorIs(t, err, errLost)
	assert.Equal(t, receipt.Unknown, b.receipt("A").State)
	assert.Equal(t, done("A", "re_1"), b.one(job(2, action("A", 1099))), "the lease was given back")
	assert.Len(t, b.stub.sent, 1)
}

func TestLaggingLookUpIsWaitedFor(t *testing.T) {
	b := newBench(t, lost)
	b.stub.promises.Lookup.Lag = harness.Duration(900 * time.Millisecond)
	b.stub.promises.Lookup.MaxInFlight = harness.Duration(200 * time.Millisecond)
	assert.Equal(t, done("A", "re_1"), b.one(job(1, action("A", 1099))))
	assert.GreaterOrEqual(t, b.stub.looked[0].Sub(b.stub.sentAt[0]), 1100*time.Millisecond)
}

func TestAmbiguous(t *testing.T) {
	t.Run("two carry our reference", func(t *testing.T) {
		b := newBench(t, lost)
		b.stub.effects = append(b.stub.effects, found("re_0", "A", action("A", 1099)))
		got := b.one(job(1, action("A", 1099)))
		assert.Equal(t, harness.NeedsReview, got.Outcome)
		assert.Equal(t, harness.Ambiguous, got.ErrorClass)
		assert.Equal(t, got, b.one(job(2, action("A", 1099))))
	})
	t.Run("ours has other arguments", func(t *testing.T) {
		b := newBench(t, torn)
		b.stub.effects = append(b.stub.effects, found("re_0", "A", action("A", 1)))
		assert.Equal(t, harness.NeedsReview, b.one(job(1, action("A", 1099))).Outcome)
	})
	t.Run("another action's is not ours", func(t *testing.T) {
		b := newBench(t, torn)
		b.stub.effects = append(b.stub.effects, found("re_0", "B", action("B", 1099)))
		assert.Equal(t, done("A", "re_2"), b.one(job(1, action("A", 1099))))
	})
	t.Run("a stranger has the name", func(t *testing.T) {
		b := newBench(t, torn)
		b.stub.promises.UniqueNames = true
		b.stub.effects = append(b.stub.effects, found("re_0", "", action("A", 1099)))
		assert.Equal(t, harness.NeedsReview, b.one(job(1, action("A", 1099))).Outcome)
	})
	t.Run("no reference, and the key tells", func(t *testing.T) {
		b := newBench(t, lost)
		b.stub.promises.Reference = ""
		b.stub.effects = append(b.stub.effects, found("re_0", "", action("A", 1099)))
		assert.Equal(t, done("A", "re_2"), b.one(job(1, action("A", 1099))))
	})
	t.Run("no reference, and no key tells", func(t *testing.T) {
		b := newBench(t, lost)
		b.stub.promises.Reference, b.stub.promises.Key.Kept = "", false
		assert.Equal(t, harness.NeedsReview, b.one(job(1, action("A", 1099))).Outcome)
		assert.Len(t, b.stub.sent, 1)
	})
	t.Run("neither key nor look-up", func(t *testing.T) {
		b := newBench(t, lost)
		b.stub.promises.Key.Kept, b.stub.promises.Lookup.By = false, nil
		assert.Equal(t, harness.NeedsReview, b.one(job(1, action("A", 1099))).Outcome)
		assert.Len(t, b.stub.sent, 1)
	})
	t.Run("a look-up that proves no absence", func(t *testing.T) {
		b := newBench(t, torn)
		b.stub.promises.Key.Kept, b.stub.promises.Lookup.Authoritative = false, false
		assert.Equal(t, harness.NeedsReview, b.one(job(1, action("A", 1099))).Outcome)
	})
}

func TestKeyWithoutLookUp(t *testing.T) {
	b := newBench(t, lost)
	b.stub.promises.Lookup.By = nil
	assert.Equal(t, done("A", "re_1"), b.one(job(1, action("A", 1099))), "the replay tells")
	assert.Equal(t, []string{"A", "A"}, b.keys())

	b = newBench(t, lost)
	b.stub.promises.Lookup.By, b.env.KeyRetention = nil, 300*time.Millisecond
	assert.Equal(t, harness.NeedsReview, b.one(job(1, action("A", 1099))).Outcome, "a forgotten key is no key")
	assert.Len(t, b.stub.sent, 1)
}

// TestRefusedInDoubt: a repeat is refused for good while nobody knows what became of the
// first attempt. What the target keeps under the key is its answer to both; what it does
// not keep tells nothing of the first, and is not asked for again.
func TestRefusedInDoubt(t *testing.T) {
	blind := func(script ...string) *bench {
		b := newBench(t, script...)
		b.stub.promises.Lookup.By = nil
		return b
	}
	b := blind(torn, card)
	got := b.one(job(1, action("A", 1099)))
	assert.Equal(t, harness.Rejected, got.Outcome, "the refusal is kept")
	assert.Equal(t, "the target answered 402 card_declined", got.Detail)
	assert.Len(t, b.stub.sent, 2)

	b = blind(torn, card)
	b.stub.promises.Key.Marked, b.stub.promises.Key.StoresErrors = false, false
	assert.Equal(t, harness.NeedsReview, b.one(job(1, action("A", 1099))).Outcome, "the target keeps no refusal")
	assert.Len(t, b.stub.sent, 2)

	b = blind(lost, denied)
	got = b.one(job(1, action("A", 1099)))
	assert.Equal(t, harness.NeedsReview, got.Outcome, "the target does not keep this one")
	assert.Equal(t, "the target answered 403, and nothing tells what became of the attempt before", got.Detail)
	assert.Len(t, b.stub.sent, 2, "no further send")
	assert.Equal(t, got, b.one(job(2, action("A", 1099))), "nor at the next delivery")
	assert.Len(t, b.stub.sent, 2)

	// A life that dies with the refusal on record leaves the next one the same.
	b = blind(lost, denied)
	b.store = unwritable{b.store, receipt.NeedsReview}
	_, err := b.deliver(job(1, action("A", 1099)))
	require.ErrorIs(t, err, receipt.ErrUnwritable)
	assert.Equal(t, receipt.Unknown, b.receipt("A").State)
	b.store = b.store.(unwritable).Store
	assert.Equal(t, got, b.one(job(2, action("A", 1099))))
	assert.Len(t, b.stub.sent, 2)
}

// TestRefusedInDoubtIsLookedUp: where there is a look-up, it tells of the first attempt
// after the repeat was refused.
func TestRefusedInDoubtIsLookedUp(t *testing.T) {
	unsure := func(script ...string) *bench {
		b := newBench(t, script...)
		b.stub.promises.Lookup.Authoritative = false
		return b
	}
	b := unsure(torn, denied)
	assert.Equal(t, harness.NeedsReview, b.one(job(1, action("A", 1099))).Outcome, "finding nothing proves nothing")
	assert.Len(t, b.stub.sent, 2)
	assert.Len(t, b.stub.looked, 2)

	b = unsure(lost, denied)
	b.stub.finds = []string{behind}
	assert.Equal(t, done("A", "re_1"), b.one(job(1, action("A", 1099))), "found after the refusal")
	assert.Len(t, b.stub.sent, 2)

	b = newBench(t, torn, denied)
	got := b.one(job(1, action("A", 1099)))
	assert.Equal(t, harness.Rejected, got.Outcome, "absence is proven")
	assert.Equal(t, "rejected_permanent", got.ErrorClass)
}

func TestLookUpWithoutKey(t *testing.T) {
	b := newBench(t)
	b.stub.promises.Key.Kept = false
	assert.Equal(t, done("A", "re_1"), b.one(job(1, action("A", 1099))))
	b.store = receipt.NewMemory()
	assert.Equal(t, done("A", "re_1"), b.one(job(1, action("A", 1099))), "another machine looks before it sends")
	assert.Len(t, b.stub.effects, 1)
}

// TestALookUpThatProvesNoAbsence: without a key it is asked before what comes again is
// sent. What it finds is there; where it finds nothing, there is no doubt to hand on if
// the receipts of the earlier delivery are there and tell of no attempt.
func TestALookUpThatProvesNoAbsence(t *testing.T) {
	unsure := func(script ...string) *bench {
		b := newBench(t, script...)
		b.stub.promises.Key.Kept, b.stub.promises.Lookup.Authoritative = false, false
		return b
	}
	b := unsure()
	assert.Equal(t, done("A", "re_1"), b.one(job(1, action("A", 1099))))
	assert.Len(t, b.stub.looked, 1, "the trigger may be another one's repeat")
	b.store = receipt.NewMemory()
	assert.Equal(t, done("A", "re_1"), b.one(job(1, action("A", 1099))), "which it is: what is found is there")
	b.store = receipt.NewMemory()
	assert.Equal(t, done("A", "re_1"), b.one(job(2, action("A", 1099))), "another machine asks first")
	assert.Len(t, b.stub.effects, 1)

	b = unsure()
	assert.Equal(t, harness.NeedsReview, b.one(job(2, action("A", 1099))).Outcome, "nothing is found, and a missing receipt does not say that nothing was sent")
	assert.Len(t, b.stub.looked, 1)
	assert.Empty(t, b.stub.sent)

	b = unsure()
	b.one(job(1, action("A", 1099)))
	b.stub.clock.Sleep(t.Context(), time.Second)
	other := action("B", 1098)
	other.BusinessKey = "ch_2"
	b.stub.effects = nil
	both, err := b.deliver(job(2, action("A", 1099), other))
	require.NoError(t, err)
	assert.Equal(t, []harness.Report{done("A", "re_1"), done("B", "re_1")}, both, "the trigger's other receipt is there, so B had none")

	b = unsure(denied)
	assert.Equal(t, harness.Rejected, b.one(job(1, action("A", 1099))).Outcome, "a refusal of the only attempt is no doubt")
	b = unsure(throttle, denied)
	assert.Equal(t, harness.Rejected, b.one(job(1, action("A", 1099))).Outcome, "nor is a refusal for now before it")
	b = unsure(denied)
	b.one(job(1, action("A", 1099)))
	again := action("A", 1099)
	again.Approval.ID += "-again"
	assert.Equal(t, done("A", "re_1"), b.one(job(2, again)), "nor is it under a new approval")

	b = unsure(torn)
	assert.Equal(t, harness.NeedsReview, b.one(job(1, action("A", 1099))).Outcome)
	assert.Len(t, b.stub.sent, 1)
}

func TestAnotherMachineAfterRetention(t *testing.T) {
	b := newBench(t)
	b.one(job(1, action("A", 1099)))
	b.store, b.stub.kept = receipt.NewMemory(), map[string]kept{}
	assert.Equal(t, done("A", "re_1"), b.one(job(2, action("A", 1099))))
	assert.Len(t, b.stub.effects, 1)
}

func TestApprovals(t *testing.T) {
	for name, change := range map[string]func(*harness.Approval){
		"none":             func(a *harness.Approval) { a.Status = harness.NoGrant },
		"denied":           func(a *harness.Approval) { a.Status = harness.Denied },
		"stale":            func(a *harness.Approval) { a.ValidUntil = "2026-01-02T03:04:05Z" },
		"older policy":     func(a *harness.Approval) { a.PolicyVersion = "0" },
		"other arguments":  func(a *harness.Approval) { a.ArgumentsSHA256 = action("A", 1).ArgumentsSHA256 },
		"unreadable until": func(a *harness.Approval) { a.ValidUntil = "tomorrow" },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			a := action("A", 1099)
			change(&a.Approval)
			got := b.one(job(1, a))
			if name == "none" {
				assert.Equal(t, harness.Report{ActionID: "A", Outcome: harness.Waiting, WaitsFor: harness.ForApproval}, got)
			} else {
				assert.Equal(t, harness.Rejected, got.Outcome)
				assert.Equal(t, harness.ApprovalMissing, got.ErrorClass)
			}
			assert.Empty(t, b.stub.sent)
			assert.Equal(t, done("A", "re_1"), b.one(job(2, action("A", 1099))), "a valid one still leads on")
		})
	}
	t.Run("another action's", func(t *testing.T) {
		b := newBench(t)
		other := action("B", 1099)
		other.Approval = action("A", 1099).Approval
		out, err := b.deliver(job(1, action("A", 1099), other))
		require.NoError(t, err)
		assert.Equal(t, done("A", "re_1"), out[0])
		assert.Equal(t, harness.ApprovalMissing, out[1].ErrorClass)
		assert.Len(t, b.stub.effects, 1)
	})
	t.Run("gone while the outcome was unknown", func(t *testing.T) {
		for script, want := range map[string]harness.Outcome{lost: harness.Done, torn: harness.Rejected} {
			b := newBench(t, script)
			b.stub.finds = []string{"x", "x", "x"}
			_, err := b.deliver(job(1, action("A", 1099)))
			require.Error(t, err)
			a := action("A", 1099)
			a.Approval.Status = harness.Denied
			assert.Equal(t, want, b.one(job(2, a)).Outcome)
			assert.Len(t, b.stub.sent, 1, "nothing is sent without consent")
		}
	})
}

func TestChangedArguments(t *testing.T) {
	b := newBench(t, lost)
	b.one(job(1, action("A", 1099)))
	changed := action("A", 1299)
	changed.Approval = action("A", 1099).Approval
	got := b.one(job(2, changed))
	assert.Equal(t, harness.Rejected, got.Outcome)
	assert.Equal(t, harness.ArgumentsChanged, got.ErrorClass)
	assert.Len(t, b.stub.sent, 1)

	lied := action("A", 1099)
	lied.ArgumentsSHA256 = action("A", 1).ArgumentsSHA256
	assert.Equal(t, harness.ArgumentsChanged, b.one(job(3, lied)).ErrorClass)
}

func TestRepairedAfterANewApproval(t *testing.T) {
	for name, amount := range map[string]int{"same arguments": 1099, "other arguments": 999} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, card)
			assert.Equal(t, harness.Rejected, b.one(job(1, action("A", 1099))).Outcome)
			again := action("A", amount)
			again.Approval.ID = "approval-2"
			assert.Equal(t, done("A", "re_1"), b.one(job(2, again)))
			assert.Equal(t, []string{"A", "A", "A:g2"}, b.keys())
			assert.Len(t, b.stub.looked, 1, "absence is proven before the key's next generation")
			assert.EqualValues(t, amount, b.stub.sent[2].Arguments["amount"])
		})
	}
}

// TestRepairedUnheard: a life ends without having heard that it was refused, and the next
// one has another approval. What the target keeps under the key says that nothing was done.
func TestRepairedUnheard(t *testing.T) {
	begin := func() (*bench, worker.JobAction) {
		b := newBench(t, unheard)
		b.stub.promises.Lookup.By = nil
		b.rules.Limits.PerLife = 1
		_, err := b.deliver(job(1, action("A", 1099)))
		require.Error(t, err)
		b.rules.Limits.PerLife = 4
		again := action("A", 1099)
		again.Approval.ID = "approval-2"
		return b, again
	}
	b, again := begin()
	assert.Equal(t, done("A", "re_1"), b.one(job(2, again)))
	assert.Equal(t, []string{"A", "A", "A:g2"}, b.keys())

	b, again = begin()
	b.stub.promises.Key.Marked, b.stub.unmarked = false, true
	assert.Equal(t, done("A", "re_1"), b.one(job(2, again)))
	assert.Equal(t, []string{"A", "A", "A:g2"}, b.keys(), "a refusal that is not marked may be that of before")

	b, again = begin()
	b.env.KeyRetention = time.Hour
	b.stub.clock.now = b.stub.clock.now.Add(2 * time.Hour)
	assert.Equal(t, harness.NeedsReview, b.one(job(2, again)).Outcome)
	assert.Equal(t, []string{"A"}, b.keys(), "one that may be forgotten tells nothing")

	b, again = begin()
	b.stub.promises.Key.Unkept = append(b.stub.promises.Key.Unkept, 402)
	assert.Equal(t, harness.NeedsReview, b.one(job(2, again)).Outcome, "a refusal of which the target does not say that it keeps it proves nothing")
	assert.NotContains(t, b.keys(), "A:g2")
}

// TestSpentOnARefusalThatIsKept: the last attempt that the limits allow gets a refusal of
// before, which proves that nothing was done.
func TestSpentOnARefusalThatIsKept(t *testing.T) {
	b := newBench(t, torn, torn, torn, unheard)
	b.stub.promises.Lookup.By = nil
	_, err := b.deliver(job(1, action("A", 1099)))
	require.Error(t, err)
	again := action("A", 1099)
	again.Approval.ID = "approval-2"
	got := b.one(job(2, again))
	assert.Equal(t, harness.Rejected, got.Outcome, got.Detail)
	assert.Equal(t, harness.AttemptsSpent, got.ErrorClass)
	assert.Len(t, b.stub.sent, 5)
}

func TestRepairedWithoutLookUp(t *testing.T) {
	b := newBench(t, card)
	b.stub.promises.Lookup.By = nil
	assert.Equal(t, harness.Rejected, b.one(job(1, action("A", 1099))).Outcome)
	again := action("A", 1099)
	again.Approval.ID = "approval-2"
	assert.Equal(t, done("A", "re_1"), b.one(job(2, again)))
	assert.Equal(t, []string{"A", "A:g2"}, b.keys(), "what was refused cleanly needs no proof of absence")

	b = newBench(t, torn, card)
	b.stub.promises.Lookup.By = nil
	b.one(job(1, action("A", 1099)))
	assert.NotContains(t, b.keys(), "A:g2", "one approval, one key")
	assert.Equal(t, done("A", "re_1"), b.one(job(2, again)))
	assert.Equal(t, []string{"A", "A", "A:g2"}, b.keys(), "a refusal that is kept is the answer to what was in doubt before, too")

	b = newBench(t, torn, card)
	b.stub.promises.Lookup.By, b.env.KeyRetention = nil, time.Hour
	b.one(job(1, action("A", 1099)))
	b.stub.clock.now = b.stub.clock.now.Add(2 * time.Hour)
	b.one(job(2, again))
	assert.NotContains(t, b.keys(), "A:g2", "one that may be forgotten is not")
}

// A key that holds a refusal is left once it must be forgotten, or the refusal was heard
// again: while it may be forgotten and may not, what was sent under it is in doubt.
func TestRepairedAroundRetention(t *testing.T) {
	again := action("A", 1099)
	again.Approval.ID = "approval-2"
	for _, c := range []struct {
		after time.Duration
		keys  []string
	}{
		{50 * time.Millisecond, []string{"A", "A", "A:g2"}},
		{450 * time.Millisecond, []string{"A", "A", "A:g2"}},
		{850 * time.Millisecond, []string{"A", "A", "A:g2"}},
		{950 * time.Millisecond, []string{"A", "A:g2"}},
	} {
		for _, marked := range []bool{true, false} {
			b := newBench(t, card)
			b.env.KeyRetention = 600 * time.Millisecond
			b.stub.promises.Key.Marked, b.stub.unmarked = marked, !marked
			assert.Equal(t, harness.Rejected, b.one(job(1, action("A", 1099))).Outcome)
			b.stub.clock.now = began.Add(c.after)
			assert.Equal(t, done("A", "re_1"), b.one(job(2, again)))
			assert.Equal(t, c.keys, b.keys(), "%s after the refusal, replays are marked: %t", c.after, marked)
		}
	}
}

// The same where nobody heard the refusal: what the key holds is of the approval before.
func TestRepairedUnheardAroundRetention(t *testing.T) {
	again := action("A", 1099)
	again.Approval.ID = "approval-2"
	for after, keys := range map[time.Duration][]string{450 * time.Millisecond: {"A", "A", "A:g2"}, 950 * time.Millisecond: {"A", "A:g2"}} {
		b := newBench(t, unheard)
		b.env.KeyRetention, b.stub.finds = 600*time.Millisecond, []string{lost, lost, lost}
		_, err := b.deliver(job(1, action("A", 1099)))
		require.Error(t, err)
		b.stub.clock.now = began.Add(after)
		assert.Equal(t, done("A", "re_1"), b.one(job(2, again)))
		assert.Equal(t, keys, b.keys(), "%s after the refusal", after)
	}
}

// What a look-up told before the worker stood still for longer than its lease is no
// proof of absence: what was given up arrived meanwhile, and its key may be forgotten.
func TestProofOfAbsenceGrowsOld(t *testing.T) {
	b := newBench(t, torn)
	b.env.KeyRetention, b.stub.finds = 600*time.Millisecond, []string{pausing}
	assert.Equal(t, done("A", "re_1"), b.one(job(1, action("A", 1099))))
	assert.Len(t, b.stub.sent, 1)
	assert.Len(t, b.stub.looked, 2)

	b = newBench(t, torn)
	b.stub.finds = []string{pausing, pausing, pausing}
	b.stub.sent = append(b.stub.sent, targets.Write{Key: "B", ActionID: "B"})
	b.stub.creates = []string{"", torn}
	_, err := b.deliver(job(1, action("A", 1099)))
	require.ErrorContains(t, err, "what the look-ups tell is too old each time")
	assert.Len(t, b.stub.looked, 3, "to a bound")
}

func TestTriggers(t *testing.T) {
	b := newBench(t)
	b.one(job(1, action("A", 1099)))
	twin := action("A'", 1099)
	twin.Approval = action("A", 1099).Approval
	assert.Equal(t, done("A'", "re_1"), b.one(job(2, twin)), "the producer minted twice")
	assert.Len(t, b.stub.effects, 1)

	other := job(3, action("B", 1099))
	other.TriggerKey = "another"
	assert.Equal(t, done("B", "re_2"), b.one(other), "another trigger is another intent")

	batch := job(1, action("C", 1099), action("D", 1099))
	batch.TriggerKey = "batch"
	out, err := b.deliver(batch)
	require.NoError(t, err)
	assert.Equal(t, []harness.Report{done("C", "re_3"), done("D", "re_4")}, out, "one trigger may ask for the same twice")
}

func TestAnotherWorkerHoldsIt(t *testing.T) {
	b := newBench(t, takeover)
	waiting := harness.Report{ActionID: "A", Outcome: harness.Waiting, WaitsFor: harness.ForWorker}
	b.stub.onTakeover = func() {
		b.worker = 2
		assert.Equal(t, waiting, b.one(job(2, action("A", 1099))), "the lease is live")
		b.stub.clock.Sleep(t.Context(), b.env.Lease)
		assert.Equal(t, done("A", "re_1"), b.one(job(3, action("A", 1099))), "the lease ran out")
	}
	assert.Equal(t, waiting, b.one(job(1, action("A", 1099))), "the late worker neither acts nor writes")
	r := b.receipt("A")
	assert.EqualValues(t, 2, r.Fence)
	assert.Equal(t, receipt.Confirmed, r.State)
	assert.Len(t, b.stub.effects, 1)
}

func found(resource, reference string, a worker.JobAction) harness.Found {
	return harness.Found{Resource: resource, Reference: reference, Arguments: a.Arguments.Digest()}
}
