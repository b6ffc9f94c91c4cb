package reference

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/receipt"
	"github.com/retrydrill/drill/harness/worker"
)

// notice is a job that brings what the target tells by itself.
func notice(n int, e worker.Event) worker.Job {
	return worker.Job{Protocol: worker.Protocol, Deliver: worker.DeliverEvent, Delivery: n, Event: &e}
}

func ours(resource string) worker.Event {
	return worker.Event{ID: "evt_1", Type: "paid", ResourceID: resource, BusinessKey: "ch_1", Reference: "A"}
}

func TestANoticeIsLookedUp(t *testing.T) {
	b := newBench(t)
	b.left(receipt.Sent)
	b.store.Write(t.Context(), receipt.Sent, b.receipt("A").Released())
	b.stub.effects = append(b.stub.effects, targetsObject("A"))
	assert.Equal(t, done("A", "re_1"), b.one(notice(2, ours("re_other"))), "what is found counts, not what is told")
	assert.Len(t, b.stub.looked, 1)
	assert.Equal(t, done("A", "re_1"), b.one(notice(3, ours("re_1"))), "a repeated one changes nothing")
	assert.Len(t, b.stub.looked, 1)
	assert.Empty(t, b.stub.sent)
}

func TestANoticeThatNothingStandsBehind(t *testing.T) {
	b := newBench(t)
	b.left(receipt.Sent)
	b.store.Write(t.Context(), receipt.Sent, b.receipt("A").Released())
	out, err := b.deliver(notice(2, ours("re_1")))
	require.NoError(t, err)
	assert.Empty(t, out, "nothing was found, and nothing is sent for it")
	assert.Empty(t, b.stub.sent)
	assert.Equal(t, done("A", "re_1"), b.one(job(3, action("A", 1099))))
}

func TestNoticesThatAreIgnored(t *testing.T) {
	foreign := ours("re_9")
	foreign.Reference = ""
	unknown := ours("re_9")
	unknown.Reference = "somebody's"
	for name, e := range map[string]worker.Event{"a stranger's": foreign, "of no action of ours": unknown, "while another holds it": ours("re_1")} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.left(receipt.Sent)
			before := b.receipt("A")
			out, err := b.deliver(notice(2, e))
			require.NoError(t, err)
			assert.Empty(t, out)
			assert.Empty(t, b.stub.looked)
			assert.Empty(t, b.stub.sent)
			assert.Equal(t, before, b.receipt("A"))
		})
	}
	b := newBench(t)
	out, err := b.deliver(notice(1, ours("re_1")))
	require.NoError(t, err)
	assert.Empty(t, out, "before anything was handed over")
	assert.Equal(t, harness.Done, b.one(job(2, action("A", 1099))).Outcome)
}
