package wire

import (
	"context"
	"errors"
	"net/http"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/tap"
)

// ErrNoCaller is returned for a schedule whose caller gives up, where nobody waits for
// the worker.
var ErrNoCaller = errors.New("the caller gives up, and nobody waits for a worker that reads its job and prints its reports: it needs a Go function or a serve worker")

// givesUp reports whether a line of the schedule has the caller give up.
func givesUp(s *harness.Schedule) bool {
	return s.Has("request cancel") || s.Has("response cancel")
}

// carryCancel has whoever waits for the executor give up, while it waits for an answer,
// which it does not get any more.
func carryCancel(t *trial, ctx context.Context, x *tap.Exchange, f *harness.Fault) bool {
	over := t.giveUp(x, f)
	if over == nil {
		return true
	}
	// Silence, as of an answer that nobody waits for: the client ends the connection.
	select {
	case <-x.R.Context().Done():
	case <-over:
	case <-ctx.Done():
	}
	panic(http.ErrAbortHandler)
}

// giveUp ends the wait for a worker, once. What it returns is closed when the hand-over has
// ended, and nil where nobody waits.
func (t *trial) giveUp(x *tap.Exchange, f *harness.Fault) (over chan struct{}) {
	defer t.strike(x.Worker)()
	t.mu.Lock()
	s := t.seats[x.Worker-1]
	givenUp := s.givenUp
	if s.incarnation != x.Incarnation || !s.atWork || givenUp == nil {
		t.mu.Unlock()
		return nil
	}
	s.givenUp, over = nil, s.over
	t.mu.Unlock()
	close(givenUp)
	t.session.Fired(f, x.Event)
	t.handler.Lost(x, f)
	return over
}
