package wire_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
)

// stopped tells of its own process, and the second worker of the first one's: T is one
// that is stopped (ps(1)).
const stopped = `f="$DRILL_STATE_DIR/pid"; if [ -e "$f" ]; then ps -o state= -p "$(cat "$f")"; else echo $$ >"$f"; fi; `

// TestPause: the worker stands still with its answer in flight, another gets the delivery
// and ends, and only then the first one goes on, with the answer that it was sent.
func TestPause(t *testing.T) {
	r := newRig(t, nil)
	// In that time the answer has to be on its way, whatever else the machine does.
	h, shop := r.run(shell(t, stopped+post+reportDone, "create#1 response pause 500ms"))
	fired(t, h)
	require.Len(t, events(h, harness.EvFault), 1, "it strikes once")
	require.Equal(t, 2, shop.count())
	require.Equal(t, []string{"T"}, trimmed(notes(h, harness.EvLog))[:1], "the first one is stopped while the second one is at work")
	d := events(h, harness.EvDeliver)
	require.Len(t, d, 2)
	require.Equal(t, []int{1, 2}, []int{d[0].Worker, d[1].Worker}, "another worker takes over")
	ends := events(h, harness.EvEnd)
	require.Equal(t, []int{2, 1}, []int{ends[0].Worker, ends[1].Worker}, "the paused one is late")
	require.Equal(t, "exit 0", ends[1].Note, "it lives")
	struck := events(h, harness.EvFault)[0]
	require.Greater(t, struck.Seq, ends[0].Seq)
	require.Equal(t, 1, struck.Worker)
	passed := events(h, harness.EvPassed)
	require.Equal(t, 1, passed[0].Worker)
	require.Less(t, passed[0].Seq, d[1].Seq, "its answer is in flight meanwhile")
	require.GreaterOrEqual(t, d[1].At-events(h, harness.EvAnswer)[0].At, harness.Duration(500e6))
}

// TestPauseShort: where the queue hides the delivery for longer than that, nobody takes
// over.
func TestPauseShort(t *testing.T) {
	r := newRig(t, nil)
	s := shell(t, post+reportDone, "create#1 response pause 30ms")
	s.Limits.Lease = harness.Duration(60e9)
	h, _ := r.run(s)
	fired(t, h)
	require.Len(t, events(h, harness.EvDeliver), 1)
	require.Len(t, events(h, harness.EvReport), 1)
}

// TestPausePlanned: who takes over gets what the schedule plans next.
func TestPausePlanned(t *testing.T) {
	r := newRig(t, nil)
	h, _ := r.run(shell(t, post+reportDone, "create#1 response pause 60ms", "deliver#2 new-trigger"))
	fired(t, h)
	d := events(h, harness.EvDeliver)
	require.Len(t, d, 2)
	require.Equal(t, 2, d[1].Worker)
	require.NotEqual(t, d[0].Deliver.TriggerKey, d[1].Deliver.TriggerKey)
}

// TestPauseKilled: one that is killed while it stands still did not go on.
func TestPauseKilled(t *testing.T) {
	r := newRig(t, nil)
	s := shell(t, post+reportDone, "create#1 response pause 1m")
	s.Limits.Delivery = harness.Duration(1e9)
	h, _ := r.run(s)
	require.False(t, h.FaultsFired()[0].Fired)
	require.Equal(t, "signal SIGKILL", events(h, harness.EvEnd)[0].Note)
}
