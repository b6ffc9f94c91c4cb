package sim

import (
	"context"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/tap"
)

// carryDelay lets the request or the answer go on later. It fired when it was let
// go, not when it was held.
func carryDelay(t *trial, x *tap.Exchange, f *harness.Fault) bool {
	if t.block(wait{timed: true, until: t.now + f.D.In(t.s.Limits)}) == byTime {
		t.session.Fired(f, x.Event)
	}
	return true
}

// carryHold lets the request or the answer go on once an event happened.
func carryHold(t *trial, x *tap.Exchange, f *harness.Fault) bool {
	t.hold(x, f)
	return true
}

// hold waits for the fault's event. Without a hope of it (every other worker has
// ended or is held) it ends as not met, which is fine; ended by time alone it is
// late, which is not.
func (t *trial) hold(x *tap.Exchange, f *harness.Fault) { t.holdUntil(x.Event, f) }

// holdUntil holds whatever the event tells of.
func (t *trial) holdUntil(e *harness.Event, f *harness.Fault) {
	hopeless := t.holds.Begin(e.Worker)
	defer t.holds.End(hopeless)
	w := wait{chans: [2]<-chan struct{}{t.session.When(*f.Event), hopeless}}
	if d := f.Or.In(t.s.Limits); d > 0 {
		w.timed, w.until = true, t.now+d
	}
	note := tap.HoldLate
	switch t.block(w) {
	case byChan0:
		note = tap.HoldMet
	case byChan1:
		note = tap.HoldNotMet
	}
	t.session.Held(e, f.Line(), note)
	t.session.Fired(f, e)
}

// gated lets others go first when a request has arrived, and holds it at the
// rendezvous of its trial.
func (t *trial) gated(_ context.Context, x *tap.Exchange) (leave func()) {
	if f := t.session.At(x.Crossed, harness.Request); f == nil || f.Name != "hold" && f.Name != "delay" {
		// One that is held up lets others go first by that, and hears of their events.
		t.stop()
	}
	g := t.gate
	if g == nil {
		return pass
	}
	p, turn := g.Arrive(x.Worker, x.Changes)
	if turn == nil {
		return pass
	}
	note := tap.HoldLate
	if t.block(wait{chans: [2]<-chan struct{}{turn}, timed: true, until: t.now + t.s.Limits.Delivery.D()}) == byChan0 {
		note = tap.HoldMet
	}
	t.session.Held(x.Event, "", note)
	return func() { g.Leave(p) }
}

func pass() {}
