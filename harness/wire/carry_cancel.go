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
	if !t.giveUp(x.Worker, x.Incarnation) {
		return true
	}
	t.session.Fired(f, x.Event)
	// Silence, as of an answer that nobody waits for: the client ends the connection.
	t.handler.Lost(x, f)
	t.mu.Lock()
	over := t.seats[x.Worker-1].over
	t.mu.Unlock()
	select {
	case <-x.R.Context().Done():
	case <-over:
	case <-ctx.Done():
	}
	panic(http.ErrAbortHandler)
}

// giveUp ends the wait for a worker, once.
func (t *trial) giveUp(number, incarnation int) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.seats[number-1]
	if s.incarnation != incarnation || !s.atWork || s.givenUp == nil {
		return false
	}
	close(s.givenUp)
	s.givenUp = nil
	return true
}
