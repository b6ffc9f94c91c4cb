package sim

import (
	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/tap"
	"github.com/retrydrill/drill/harness/worker"
)

// dying is a life that ends at the next thing that it does outside of itself.
type dying struct {
	fault *harness.Fault
	event *harness.Event
}

// carryKillAfter lets the answer pass to a worker that does nothing more than hear it.
func carryKillAfter(t *trial, x *tap.Exchange, f *harness.Fault) bool {
	if _, l := t.atWork(x); l != nil {
		l.dying = &dying{f, x.Event}
	}
	return true
}

// acts is asked before a life sends, writes or reports anything; see [life.enter].
func (l *life) acts() error {
	if l.dying != nil && l.dies() {
		return worker.ErrDead
	}
	return l.enter()
}

// dies ends a life that heard what it was not to outlive, and reports whether it was such
// a one: then what it was about to do is not done.
func (l *life) dies() bool {
	d := l.dying
	if d == nil || !l.die() {
		return false
	}
	l.dying = nil
	l.t.session.Fired(d.fault, d.event)
	return true
}
