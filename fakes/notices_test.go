package fakes

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/targets"
)

// TestNoticesComeInTheLedgersOrder: with writes at the same time too, each once.
func TestNoticesComeInTheLedgersOrder(t *testing.T) {
	w := with(t, shape(t, "two-parts"), harness.Settings{})
	var told []harness.Notice
	w.Tell(func(n harness.Notice) { told = append(told, n) })
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() { w.create(t, w.write(fmt.Sprint("key-", i), fmt.Sprint("act-", i))) })
	}
	all.Wait()
	require.Len(t, told, 50)
	ids := map[string]bool{}
	for i, e := range w.Effects() {
		assert.Equal(t, e.Resource, told[i].Resource)
		assert.Equal(t, e.Reference, told[i].Reference)
		assert.Equal(t, "payment.succeeded", told[i].Type)
		assert.Regexp(t, "^evt_.{12}$", told[i].ID)
		ids[told[i].ID] = true
	}
	assert.Len(t, ids, 50)
}

// TestAReceiverMayWrite: what is told is told under no lock, and what the receiver
// commits is told after the call.
func TestAReceiverMayWrite(t *testing.T) {
	w := with(t, shape(t, "two-parts"), harness.Settings{})
	var told []string
	w.Tell(func(n harness.Notice) {
		told = append(told, n.Type)
		if n.Op == "pay" {
			w.send(t, "cancel", n.Resource, targets.Write{Key: "undo-" + n.Resource})
			w.Effects()
		}
	})
	r := w.create(t, w.write("key-1", "act-1"))
	assert.Equal(t, []string{"payment.succeeded", "payment.canceled"}, told)
	assert.Len(t, w.undos(), 1)
	assert.Equal(t, r.Resource, w.undos()[0].Resource)
}

// TestNothingToldIsKept: without a receiver no line of notices grows.
func TestNothingToldIsKept(t *testing.T) {
	w := with(t, shape(t, "two-parts"), harness.Settings{})
	w.create(t, w.write("key-1", "act-1"))
	assert.Empty(t, w.teller.waiting)
}

// TestOneNoticeAtATime: while a receiver is at one, another write is answered, and is
// told of once the receiver returned.
func TestOneNoticeAtATime(t *testing.T) {
	w := with(t, shape(t, "two-parts"), harness.Settings{})
	var told []string
	w.Tell(func(n harness.Notice) {
		if n.Reference == "act-1" {
			w.done(t, w.create(t, w.write("key-2", "act-2")))
			assert.Empty(t, told, "act-2 waits for its turn")
		}
		told = append(told, n.Reference)
	})
	w.create(t, w.write("key-1", "act-1"))
	assert.Equal(t, []string{"act-1", "act-2"}, told)
}
