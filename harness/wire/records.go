package wire

import (
	"context"
	"time"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/deliver"
	"github.com/retrydrill/drill/harness/worker"
)

// records stands at the writes of the executor in one seat.
type records struct {
	t *trial
	s *seat
}

// Write implements [worker.RecordGate].
func (g records) Write(ctx context.Context, r worker.Record, commit func(worker.RecordOrder) worker.RecordEnd) error {
	e := harness.Event{Worker: g.s.number}
	if b := g.s.slot.bound.Load(); b != nil && b.host == g.t {
		e.Incarnation, e.Delivery = b.incarnation, b.delivery
	}
	if g.t.dies(e.Worker, e.Incarnation) {
		return worker.ErrDead
	}
	// An executor writes down what it knows even if its caller gave up; what is held
	// goes on at the latest when the trial is over.
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	defer context.AfterFunc(g.t.ctx, stop)()
	x := deliver.Records{Session: g.t.session, Hold: g.t.holdUntil,
		Kill: func(e *harness.Event) bool { return g.t.kill(e.Worker, e.Incarnation) }}
	return x.Write(ctx, &e, r, func(o worker.RecordOrder) worker.RecordEnd {
		began := time.Now()
		defer func() { g.t.pulse.note(slowRecord, time.Since(began)) }()
		return commit(o)
	})
}
