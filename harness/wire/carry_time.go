package wire

import (
	"context"
	"time"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/tap"
)

// carryDelay lets the request or the answer go on later. It fired when it was let
// go, not when it was held.
func carryDelay(b *boundary, ctx context.Context, x *tap.Exchange, f harness.Fault) bool {
	if (harness.SystemClock{}).Sleep(ctx, f.D.In(b.limits)) == nil {
		b.session.Fired(f, x.Event)
	}
	return true
}

// carryHold lets the request or the answer go on once an event happened.
func carryHold(b *boundary, ctx context.Context, x *tap.Exchange, f harness.Fault) bool {
	b.hold(ctx, x, f)
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
func (b *boundary) hold(ctx context.Context, x *tap.Exchange, f harness.Fault) {
	var hopeless chan struct{}
	if b.crew != nil {
		hopeless = b.crew.holdBegins(x.Worker)
		defer b.crew.holdEnds(hopeless)
	}
	var late <-chan time.Time
	if d := f.Or.In(b.limits); d > 0 {
		timer := time.NewTimer(d)
		defer timer.Stop()
		late = timer.C
	}
	note := holdMet
	met := b.session.When(*f.Event)
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
	b.held(x.Event, f.String(), note)
	b.session.Fired(f, x.Event)
}

// held records how the holding of a request ended; a rendezvous has no fault.
func (b *boundary) held(e harness.Event, fault, note string) {
	b.session.Add(harness.Event{Kind: harness.EvHold, Worker: e.Worker, Incarnation: e.Incarnation, Delivery: e.Delivery,
		Action: e.Action, Attempt: e.Attempt, Op: e.Op, N: e.N, Fault: fault, Note: note})
}
