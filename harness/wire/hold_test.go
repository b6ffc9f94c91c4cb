package wire

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/deliver"
	"github.com/retrydrill/drill/harness/tap"
)

// TestWhatIsThereInTimeIsMet: what a held request waits for has come about, also where it is
// looked at so late that its time is over, too.
func TestWhatIsThereInTimeIsMet(t *testing.T) {
	over, cancel := context.WithCancel(t.Context())
	cancel()
	f, err := harness.ParseFault("create#1 request hold until create#1 request or 1ns")
	require.NoError(t, err)
	for range 50 {
		tr := &trial{s: harness.Schedule{Limits: harness.DefaultLimits()}}
		tr.session = tap.NewSession(tr.s, nil, tap.NewRecorder(func() time.Duration { return 0 }, ""))
		x := &tap.Exchange{Crossed: tr.session.Arrive(harness.Event{Worker: 1}, harness.Named{Op: harness.CreateOp})}
		tr.holdUntil(over, x.Event, &f)
		tr.gate.Store(deliver.NewRendezvous([]int{1}, false))
		tr.gated(over, x)()
		var notes []string
		for _, e := range tr.session.Snapshot() {
			if e.Kind == harness.EvHold {
				notes = append(notes, e.Note)
			}
		}
		require.Equal(t, []string{tap.HoldMet, tap.HoldMet}, notes)
	}
}

// TestAHoldHasHopeWhereOneStoppedSince: the conductor looks at the hand-overs once more
// before it gives the hold up.
func TestAHoldHasHopeWhereOneStoppedSince(t *testing.T) {
	tr := &trial{seats: []*seat{{number: 1, atWork: true}, {number: 2, atWork: true}}}
	hopeless := tr.holdBegins(1)
	given := func() bool {
		select {
		case <-hopeless:
			return true
		default:
			return false
		}
	}
	seen := tr.holds.Begun()
	tr.stops(tr.seats[1], true)
	tr.releaseHopeless(seen)
	require.False(t, given())
	tr.releaseHopeless(tr.holds.Begun())
	require.True(t, given())
}
