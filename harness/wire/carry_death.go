package wire

import (
	"context"
	"net/http"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/tap"
)

// carryKill kills the worker on observation: the crossing is seen, the worker is
// SIGKILLed and reaped, and only then does anything go on. Nobody is left to answer.
func carryKill(t *trial, _ context.Context, x *tap.Exchange, f harness.Fault) bool {
	died := t.kill(x.Worker, x.Incarnation)
	t.handler.Lost(x, f)
	if died {
		t.session.Fired(f, x.Event)
	}
	panic(http.ErrAbortHandler)
}

// kill ends one life and returns when it is reaped. It reports whether the worker
// died of it.
func (t *trial) kill(number, incarnation int) bool {
	t.mu.Lock()
	s := t.seats[number-1]
	life := s.life
	if s.incarnation != incarnation {
		life = nil
	}
	t.mu.Unlock()
	return life != nil && life.Kill()
}
