package sim

import (
	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/tap"
)

// carryKill ends the life that sent the request. Nobody is left to answer.
func carryKill(t *trial, x *tap.Exchange, f *harness.Fault) bool {
	died := t.kill(x.Worker, x.Incarnation)
	t.handler.Lost(x, f)
	x.W.(*exchange).cut(closed, nil)
	if died {
		t.session.Fired(f, x.Event)
	}
	return false
}

// kill ends one life and reports whether there was one to end.
func (t *trial) kill(number, incarnation int) bool {
	s := t.seats[number-1]
	return s.incarnation == incarnation && s.life != nil && s.life.die()
}

// carryAtReport loses the acknowledgement of a report, or kills whoever made it.
func carryAtReport(s *seat, f *harness.Fault, e *harness.Event) {
	switch f.Name {
	case "lose":
		s.heard.Lost("the report was lost")
	case "kill":
		s.heard.Lost("the worker was killed when its report was read")
		s.life.die()
	}
	s.t.session.Fired(f, e)
}
