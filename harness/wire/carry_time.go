package wire

import (
	"context"
	"time"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/tap"
)

// carryDelay lets the request or the answer go on later. It fired when it was let
// go, not when it was held.
func carryDelay(b *boundary, ctx context.Context, x *tap.Exchange, f *harness.Fault) bool {
	b.session.Holds(f)
	if (harness.SystemClock{}).Sleep(ctx, f.D.In(b.limits)) == nil {
		b.session.Fired(f, x.Event)
	}
	return true
}

// carryHold lets the request or the answer go on once an event happened.
func carryHold(b *boundary, ctx context.Context, x *tap.Exchange, f *harness.Fault) bool {
	b.hold(ctx, x, f)
	return true
}

// hold waits for the fault's event. Without a hope of it (every other worker has
// ended or is held) it ends as not met, which is fine; ended by time alone it is
// late, which is not.
func (b *boundary) hold(ctx context.Context, x *tap.Exchange, f *harness.Fault) {
	b.holdUntil(ctx, x.Event, f)
}

// holdUntil holds whatever the event tells of.
func (b *boundary) holdUntil(ctx context.Context, e *harness.Event, f *harness.Fault) {
	var hopeless <-chan struct{}
	if b.crew != nil {
		hopeless = b.crew.holdBegins(e.Worker)
		defer b.crew.holdEnds(hopeless)
	}
	b.session.Holds(f)
	var late <-chan time.Time
	if d := f.Or.In(b.limits); d > 0 {
		timer := time.NewTimer(d)
		defer timer.Stop()
		late = timer.C
	}
	met := b.session.When(*f.Event)
	note := tap.HoldLate
	select {
	case <-met:
	case <-hopeless:
		note = tap.HoldNotMet
	case <-late:
	case <-ctx.Done():
	}
	b.session.Held(e, f.String(), unless(met, note))
	b.session.Fired(f, e)
}

// unless is the note of what ended otherwise than it was to, unless it has come to that all
// the same: where the machine was busy, both can be there at once.
func unless(met <-chan struct{}, note string) string {
	select {
	case <-met:
		return tap.HoldMet
	default:
		return note
	}
}
