package fakes

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/targets"
)

// TestPaymentsAreToldOf: a payment is told of at its commit, its cancel too; a replay
// tells nothing.
func TestPaymentsAreToldOf(t *testing.T) {
	w := domainOf(t, "payments")
	var told []harness.Notice
	w.Tell(func(n harness.Notice) { told = append(told, n) })
	first := w.create(t, w.write("key-1", "act-1"))
	w.repeats(t, first, w.create(t, w.write("key-1", "act-1")))
	require.Len(t, told, 1)
	assert.Equal(t, "payment_intent.amount_capturable_updated", told[0].Type)
	assert.Equal(t, first.Resource, told[0].Resource)
	assert.Equal(t, "act-1", told[0].Reference)
	client := targets.NewClient(w.p, w.url, token, w.client)
	out := client.Cancel(context.Background(), first.Resource, targets.Write{Key: "key-2"})
	require.Equal(t, harness.Confirmed, out.Class, "%+v", out)
	require.Len(t, told, 2)
	assert.Equal(t, "payment_intent.canceled", told[1].Type)
}

// TestACanceledPaymentStays: it is listed as canceled, and a second cancel is refused.
func TestACanceledPaymentStays(t *testing.T) {
	w := domainOf(t, "payments")
	client := targets.NewClient(w.p, w.url, token, w.client)
	first := w.create(t, w.write("key-1", "act-1"))
	require.Equal(t, harness.Confirmed, client.Cancel(context.Background(), first.Resource, targets.Write{Key: "c1"}).Class)
	again := client.Cancel(context.Background(), first.Resource, targets.Write{Key: "c2"})
	assert.Equal(t, harness.RejectedPermanent, again.Class)
	assert.Equal(t, "payment_intent_unexpected_state", again.Code)
	kinds := map[string]int{}
	for _, e := range w.Fake.Effects() {
		kinds[e.Kind]++
	}
	assert.Equal(t, map[string]int{harness.Do: 1, harness.Undo: 1}, kinds, "one payment, taken back once")
	assert.Contains(t, w.send(t, harness.GetOp, first.Resource, targets.Write{}).raw, `"status":"canceled"`)
}
