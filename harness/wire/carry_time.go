package wire

import (
	"context"
	"time"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/tap"
)

// carryDelay lets the request or the answer go on later. It fired when it was let
// go, not when it was held.
func carryDelay(t *trial, ctx context.Context, x *tap.Exchange, f harness.Fault) bool {
	if (harness.SystemClock{}).Sleep(ctx, f.D.In(t.s.Limits)) == nil {
		t.session.Fired(f, x.Event)
	}
	return true
}

// carryHold lets the request or the answer go on once an event happened.
func carryHold(t *trial, ctx context.Context, x *tap.Exchange, f harness.Fault) bool {
	t.hold(ctx, x, f)
	return true
}

// What a hold ended with.
const (
	holdMet    = "met"
	holdNotMet = "not-met"
	holdLate   = "timed-out"
)

// hold waits for the fault's event. Without a hope of it (every other worker has
// ended or is held) it ends as not met, which is fine; ended by time alone it is
// late, which is not.
func (t *trial) hold(ctx context.Context, x *tap.Exchange, f harness.Fault) {
	hopeless := t.holdBegins(x.Worker)
	defer t.holdEnds(hopeless)
	var late <-chan time.Time
	if d := f.Or.In(t.s.Limits); d > 0 {
		timer := time.NewTimer(d)
		defer timer.Stop()
		late = timer.C
	}
	note := holdMet
	met := t.session.When(*f.Event)
	select {
	case <-met:
	case <-hopeless:
		note = holdNotMet
		select {
		case <-met:
			note = holdMet
		default:
		}
	case <-late:
		note = holdLate
	case <-ctx.Done():
		note = holdLate
	}
	t.held(x.Event, f.String(), note)
	t.session.Fired(f, x.Event)
}

// held records how the holding of a request ended; a rendezvous has no fault.
func (t *trial) held(e harness.Event, fault, note string) {
	t.session.Add(harness.Event{Kind: harness.EvHold, Worker: e.Worker, Incarnation: e.Incarnation, Delivery: e.Delivery,
		Action: e.Action, Attempt: e.Attempt, Op: e.Op, N: e.N, Fault: fault, Note: note})
}
