package wire

import (
	"context"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/tap"
)

// dying is a life that ends at the next thing that it does outside of itself: that shows
// that it heard the answer, and nothing else can.
type dying struct {
	incarnation int
	fault       *harness.Fault
	event       *harness.Event
}

// carryKillAfter lets the answer pass to a worker that does nothing more than hear it.
func carryKillAfter(t *trial, _ context.Context, x *tap.Exchange, f *harness.Fault) bool {
	s, life := t.lives(x.Worker, x.Incarnation)
	if life == nil {
		return true
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	s.dying = &dying{x.Incarnation, f, x.Event}
	return true
}

// dies ends a life that heard what it was not to outlive, and reports whether it was
// such a one: then what it was about to do is not done.
func (t *trial) dies(number, incarnation int) bool {
	t.mu.Lock()
	d := t.seats[number-1].dying
	if d != nil && d.incarnation == incarnation {
		t.seats[number-1].dying = nil
	}
	t.mu.Unlock()
	if d == nil || d.incarnation != incarnation {
		return false
	}
	defer t.strike(number)()
	// One that has ended by itself in the same instant is as dead, and what it did as
	// undone.
	t.kill(number, incarnation)
	t.session.Fired(d.fault, d.event)
	return true
}
