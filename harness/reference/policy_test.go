package reference

import (
	"fmt"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/policy"
	"github.com/retrydrill/drill/harness/receipt"
	"github.com/retrydrill/drill/targets"
)

// under runs a bench by a policy document.
func under(t *testing.T, text string, script ...string) *bench {
	b := newBench(t, script...)
	b.env.Policy = text
	b.rules = b.rules.under(mustPolicy(t, text))
	return b
}

// TestTheDefaultPolicy says what the careful rules say.
func TestTheDefaultPolicy(t *testing.T) {
	p := mustPolicy(t, "")
	assert.Equal(t, Careful(), Careful().under(p))
	assert.Equal(t, policy.Default().Moves, p.Moves)
}

func TestAttemptsAreBoundedByThePolicy(t *testing.T) {
	for _, c := range []struct {
		name, policy string
		script       []string
		sent         int
		want         harness.Outcome
		class        string
	}{
		{"in all", "limits: {max_attempts: 2}\n", []string{torn, torn, torn}, 2, harness.Rejected, harness.AttemptsSpent},
		{"by class", "limits: {per_class: {rejected_transient: 1}}\n", []string{throttle, throttle}, 1, harness.Rejected, harness.AttemptsSpent},
		{"by another class", "limits: {per_class: {rejected_transient: 1}}\n", []string{torn, throttle, plain}, 2, harness.Rejected, harness.AttemptsSpent},
		{"by time", "limits: {time_budget: 500ms}\n", []string{throttle, plain}, 1, harness.Rejected, harness.AttemptsSpent},
		{"not yet by time", "limits: {time_budget: 5s}\n", []string{throttle, plain}, 2, harness.Done, ""},
		{"transient stops", "retry_policy: {rejected_transient: stop_for_new_input_or_approval}\n", []string{throttle}, 1, harness.Rejected, "rejected_transient"},
		{"transient is a person's", "retry_policy: {rejected_transient: needs_review}\n", []string{throttle}, 1, harness.NeedsReview, harness.Ambiguous},
		{"transient is looked up", "retry_policy: {rejected_transient: reconcile_then_decide}\n", []string{throttle, plain}, 2, harness.Done, ""},
		{"permanent is a person's", "retry_policy: {rejected_permanent: needs_review}\n", []string{card}, 1, harness.NeedsReview, harness.Ambiguous},
		{"unknown is a person's", "retry_policy: {outcome_unknown: needs_review}\n", []string{lost}, 1, harness.NeedsReview, harness.Ambiguous},
		{"never dispatched is bounded", "retry_policy: {never_dispatched: bounded_same_action_id}\nlimits: {max_attempts: 2}\n", []string{unreachable, unreachable, plain}, 2, harness.Rejected, harness.AttemptsSpent},
		{"a status made stricter", "stricter: [{status: 429, class: rejected_permanent}]\n", []string{throttle}, 1, harness.Rejected, "rejected_transient"},
		{"never laxer", "stricter: [{status: 403, class: rejected_transient}]\n", []string{denied}, 1, harness.Rejected, "rejected_permanent"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := under(t, c.policy, c.script...)
			got := b.one(job(1, action("A", 1099)))
			assert.Equal(t, c.want, got.Outcome, got.Detail)
			assert.Equal(t, c.class, got.ErrorClass)
			assert.Len(t, b.stub.sent, c.sent)
		})
	}
}

// TestBoundsCountWhatTheRecordTellsOf: an attempt that a life before took with it counts as
// unknown, and where each one was refused nothing is left to doubt.
func TestBoundsCountWhatTheRecordTellsOf(t *testing.T) {
	b := under(t, "limits: {per_class: {outcome_unknown: 1}}\n", lost)
	b.stub.promises.Lookup = harness.FindPromise{}
	store := b.store
	b.store = unwritable{store, receipt.Unknown}
	_, err := b.deliver(job(1, action("A", 1099)))
	require.ErrorIs(t, err, receipt.ErrUnwritable)
	b.store = store
	assert.Equal(t, harness.NeedsReview, b.one(job(2, action("A", 1099))).Outcome)
	assert.Len(t, b.stub.sent, 1)

	b = under(t, "limits: {per_class: {rejected_permanent: 1}}\n", denied)
	b.stub.promises.Key.Kept, b.stub.promises.Lookup.Authoritative = false, false
	assert.Equal(t, harness.Rejected, b.one(job(1, action("A", 1099))).Outcome)
	anew := action("A", 1099)
	anew.Approval.ID = "approval-2"
	got := b.one(job(2, anew))
	assert.Equal(t, harness.Rejected, got.Outcome, got.Detail)
	assert.Equal(t, harness.AttemptsSpent, got.ErrorClass)
	assert.Len(t, b.stub.sent, 1)
}

// TestAPersonIsAskedOfWhatWasSent: what the policy leaves to a person is an attempt whose
// outcome is unknown, and not the look before the first one.
func TestAPersonIsAskedOfWhatWasSent(t *testing.T) {
	b := under(t, "retry_policy: {outcome_unknown: needs_review}\n", plain)
	b.stub.promises.Key.Kept = false
	assert.Equal(t, done("A", "re_1"), b.one(job(1, action("A", 1099))))
	b = under(t, "retry_policy: {outcome_unknown: needs_review}\n", lost)
	b.stub.promises.Key.Kept = false
	assert.Equal(t, harness.NeedsReview, b.one(job(1, action("A", 1099))).Outcome)
	assert.Len(t, b.stub.looked, 1, "the one before it was sent")
}

func TestWaitsAreThePolicys(t *testing.T) {
	gap := func(b *bench) time.Duration { return b.stub.sentAt[1].Sub(b.stub.sentAt[0]) }
	even := "backoff: {initial: 100ms, factor: 1, max: 100ms, jitter: none}"
	b := under(t, "limits: {"+even+"}\n", torn)
	b.one(job(1, action("A", 1099)))
	assert.InDelta(t, 100*time.Millisecond, gap(b), float64(20*time.Millisecond))
	b = under(t, "limits: {"+even+"}\n", throttle)
	b.one(job(1, action("A", 1099)))
	assert.GreaterOrEqual(t, gap(b), time.Second, "what the target asks for wins over the back-off")
	b = under(t, "limits: {retry_after: ignore, "+even+"}\n", throttle)
	b.one(job(1, action("A", 1099)))
	assert.Less(t, gap(b), time.Second)
}

// TestTheClassSurvives: whoever wraps the error of a delivery, its class is still told.
func TestTheClassSurvives(t *testing.T) {
	for class, script := range map[harness.Class]string{harness.NeverDispatched: unreachable, harness.RejectedTransient: throttle} {
		b := under(t, "limits: {max_attempts: 100, backoff: {initial: 1ms, max: 1ms}}\n", script, script, script, script, script, script)
		_, err := b.deliver(job(1, action("A", 1099)))
		require.Error(t, err)
		assert.Equal(t, class, policy.ClassOf(fmt.Errorf("worker: %w", err)))
	}
}

func TestAttemptsAreCountedByClass(t *testing.T) {
	b := newBench(t, torn, throttle)
	b.one(job(1, action("A", 1099)))
	var want receipt.Ended
	for _, c := range []harness.Class{harness.Unknown, harness.RejectedTransient, harness.Confirmed} {
		want.Add(c)
	}
	assert.Equal(t, want, b.receipt("A").Ended)
}

func TestAllowList(t *testing.T) {
	for text, want := range map[string]bool{
		"allow: {effects: [refund]}\n":                       true,
		"allow: {effects: [ticket]}\n":                       false,
		"allow: {targets: [stripe-v1]}\n":                    true,
		"allow: {effects: [refund], targets: [stripe-v2]}\n": false,
	} {
		b := under(t, text)
		got := b.one(job(1, action("A", 1099)))
		if want {
			assert.Equal(t, harness.Done, got.Outcome, text)
			continue
		}
		assert.Equal(t, harness.Rejected, got.Outcome, text)
		assert.Equal(t, harness.NotAllowed, got.ErrorClass)
		assert.Empty(t, b.stub.sent)
		_, err := b.store.Get(t.Context(), "A")
		assert.ErrorIs(t, err, receipt.ErrMissing, "nothing begins")
	}
}

// TestArgumentsThatTheTargetDoesNotTake are refused before anything is recorded.
func TestArgumentsThatTheTargetDoesNotTake(t *testing.T) {
	x := newTrial(t)
	a := action("A", 1099)
	a.Arguments["colour"] = "red"
	a.ArgumentsSHA256 = a.Arguments.Digest()
	a.Approval.ArgumentsSHA256 = a.ArgumentsSHA256
	x.deliver(Executors[0], job(1, a))
	require.Empty(t, x.failures)
	assert.Equal(t, harness.NotAllowed, x.last().ErrorClass, x.last().Detail)
	assert.Zero(t, x.creates)
}

func TestAPolicyThatIsNone(t *testing.T) {
	x := newTrial(t)
	x.env.Policy = "limits: {max_attempts: -1}\n"
	_, _, err := Executors[0].New(x.env)
	require.ErrorContains(t, err, "expected 0 to 1000")
	entries, err := os.ReadDir(x.env.StateDir)
	require.NoError(t, err)
	assert.Empty(t, entries, "and no store is opened")
}

func TestMishapsHaveThePolicysNames(t *testing.T) {
	x := &executor{outfit: &outfit{policy: mustPolicy(t, "stricter: [{without_answer: refused, class: outcome_unknown}]\n")}}
	refused := targets.Outcome{Class: harness.NeverDispatched, Err: fmt.Errorf("create: %w", syscall.ECONNREFUSED)}
	assert.Equal(t, harness.Unknown, x.classify(refused))
	x.policy = mustPolicy(t, "")
	assert.Equal(t, harness.NeverDispatched, x.classify(refused))
	for _, u := range targets.WithoutAnswer {
		if u.Name == "before-the-dot" {
			continue
		}
		id := policyName(u.Name)
		_, known := policy.FindMishap(id)
		assert.True(t, known, "%s is %s", u.Name, id)
	}
}
