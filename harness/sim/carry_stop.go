package sim

import (
	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/tap"
)

// carryStop asks the worker to end while it waits for an answer, which it does not get
// any more: the context of its delivery ends, as that of a process does which minds
// SIGTERM. It is killed where it has not ended after a while.
func carryStop(t *trial, x *tap.Exchange, f *harness.Fault) bool {
	s, l := t.atWork(x)
	if l == nil {
		return true
	}
	t.silence(x, f)
	s.giveUp(nil)
	e := x.Event
	t.beside(s, func() {
		t.block(wait{flags: [2]*bool{&l.dead, &l.ended}, timed: true, until: t.now + f.D.In(t.s.Limits)})
		if !l.ended {
			l.die()
		}
		t.session.Fired(f, e)
	})
	return false
}

// carryCancel has whoever waits for the executor give up, while it waits for an answer,
// which it does not get any more.
func carryCancel(t *trial, x *tap.Exchange, f *harness.Fault) bool {
	s, l := t.atWork(x)
	if l == nil {
		return true
	}
	t.session.Fired(f, x.Event)
	t.silence(x, f)
	s.giveUp(nil)
	return false
}

// silence ends an exchange without a word.
func (t *trial) silence(x *tap.Exchange, f *harness.Fault) {
	t.handler.Lost(x, f)
	x.W.(*exchange).cut(hung, nil)
}

// atWork returns a worker's place and the life that sent the request, if it is at work
// there still.
func (t *trial) atWork(x *tap.Exchange) (*seat, *life) {
	s := t.seats[x.Worker-1]
	l := s.life
	if s.incarnation != x.Incarnation || l == nil || l.dead || s.hand == nil {
		return s, nil
	}
	return s, l
}
