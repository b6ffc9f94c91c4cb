package deliver_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/deliver"
)

// TestAcks: a delivery comes again whose acknowledgement strayed, once: to the same
// worker when the queue hides it no longer, or to another one at once.
func TestAcks(t *testing.T) {
	for _, c := range []struct {
		line   string
		worker int
		wait   bool
		failed bool // what the second hand-over comes to
	}{
		{"ack#1 lose", 1, true, false},
		{"ack#1 late", 1, true, true},
		{"ack#1 expire", 2, false, false},
		{"ack#1@A lose", 1, true, false},
		{"ack#1@w1 lose", 1, true, false},
	} {
		t.Run(c.line, func(t *testing.T) {
			k := newClock(t, c.line)
			first := k.due()
			told := k.End(deliver.Ended{Hand: first}, k.now)
			require.Len(t, told, 2)
			require.Equal(t, []harness.EventKind{harness.EvNack, harness.EvFault}, []harness.EventKind{told[0].Kind, told[1].Kind})
			require.Equal(t, c.line, told[1].Fault)
			require.False(t, k.Done())
			if c.wait {
				k.now += k.idle().For
			}
			second := k.due()
			require.Equal(t, []int{c.worker, 2}, []int{second.Worker, second.Delivery})
			require.Equal(t, 2, second.Again)
			x := deliver.Ended{Hand: second}
			if c.failed {
				x.Nack = "failed: exit 1"
			}
			require.Len(t, k.End(x, k.now), 1, "it strikes once")
			require.True(t, k.Done(), "once more is enough")
		})
	}
	k := newClock(t, "ack#1@w2 lose")
	require.Len(t, k.End(deliver.Ended{Hand: k.due()}, k.now), 1, "another worker's is meant")
	require.True(t, k.Done())
	require.Equal(t, 480*time.Millisecond, harness.DefaultLimits().Visibility())
}

// TestAcksAreBounded: a queue that loses each acknowledgement hands over no more often
// than the limits say.
func TestAcksAreBounded(t *testing.T) {
	for _, line := range []string{"ack#1.. lose", "ack#1.. expire"} {
		k := newClock(t, line)
		n := 0
		for ; !k.Done(); n++ {
			h, w := k.next()
			if h == nil {
				k.now += w.For
				h = k.due()
			}
			k.End(deliver.Ended{Hand: h}, k.now)
		}
		require.Equal(t, harness.DefaultLimits().Deliveries, n, line)
	}
}
