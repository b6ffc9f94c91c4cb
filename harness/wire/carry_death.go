package wire

import (
	"context"
	"net/http"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/tap"
	"github.com/retrydrill/drill/harness/worker"
)

// carryKill kills the worker on observation: the crossing is seen, the worker is
// SIGKILLed and reaped, and only then does anything go on. Nobody is left to answer.
func carryKill(t *trial, _ context.Context, x *tap.Exchange, f *harness.Fault) bool {
	defer t.strike(x.Worker)()
	died := t.kill(x.Worker, x.Incarnation)
	t.handler.Lost(x, f)
	if died {
		t.session.Fired(f, x.Event)
	}
	panic(http.ErrAbortHandler)
}

// strike begins to end what a worker is at. That it has ended is told after done.
func (t *trial) strike(number int) (done func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.seats[number-1]
	if s.strikes++; s.strikes == 1 {
		s.onRecord = make(chan struct{})
	}
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if s.strikes--; s.strikes == 0 {
			close(s.onRecord)
		}
	}
}

// struck returns once all that was done to a worker is on record.
func (t *trial) struck(s *seat) {
	t.mu.Lock()
	onRecord := s.onRecord
	t.mu.Unlock()
	if onRecord != nil {
		<-onRecord
	}
}

// kill ends one life and returns when it is reaped. It reports whether the worker
// died of it.
func (t *trial) kill(number, incarnation int) bool {
	_, life := t.lives(number, incarnation)
	return life != nil && life.Kill()
}

// lives returns a worker's place, and the process of that incarnation there if it is
// alive. What a process does can be seen before whoever started it has said so: on a busy
// machine it has sent its first request by then.
func (t *trial) lives(number, incarnation int) (*seat, worker.Mortal) {
	t.mu.Lock()
	s := t.seats[number-1]
	begun := s.begun
	t.mu.Unlock()
	if s.process && begun != nil {
		<-begun
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if s.incarnation != incarnation {
		return s, nil
	}
	return s, s.life
}
