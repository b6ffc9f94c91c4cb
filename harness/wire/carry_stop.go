package wire

import (
	"context"
	"net/http"
	"time"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/tap"
	"github.com/retrydrill/drill/harness/worker"
)

// carryStop asks the worker to end while it waits for an answer, which it does not get
// any more, and kills it where it has not ended after a while.
func carryStop(t *trial, _ context.Context, x *tap.Exchange, f *harness.Fault) bool {
	_, life := t.lives(x.Worker, x.Incarnation)
	if life == nil || !t.asks(life, x, f) {
		return true
	}
	late := time.NewTimer(f.D.In(t.s.Limits))
	defer late.Stop()
	select {
	case <-life.Ended():
	case <-late.C:
		life.Kill()
	case <-t.ctx.Done():
		panic(http.ErrAbortHandler)
	}
	t.session.Fired(f, x.Event)
	panic(http.ErrAbortHandler)
}

// asks asks a worker to end, which gets no answer then.
func (t *trial) asks(life worker.Mortal, x *tap.Exchange, f *harness.Fault) bool {
	defer t.strike(x.Worker)()
	if !life.Term() {
		return false
	}
	t.handler.Lost(x, f)
	return true
}
