package sim

import (
	"context"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/deliver"
	"github.com/retrydrill/drill/harness/worker"
)

// standAt makes what stands at the writes of every life's store.
func (t *trial) standAt() deliver.Records {
	return deliver.Records{Session: t.session,
		Kill: func(e *harness.Event) bool { return t.kill(e.Worker, e.Incarnation) },
		Hold: func(_ context.Context, e *harness.Event, f *harness.Fault) { t.holdUntil(e, f) }}
}

// records stands at the writes of a life's own store.
type records life

// Write implements [worker.RecordGate].
func (g *records) Write(ctx context.Context, r worker.Record, commit func(worker.RecordOrder) worker.RecordEnd) error {
	l := (*life)(g)
	if b := l.t.bubble; b != nil {
		return b.write(ctx, l, r, commit)
	}
	if err := l.acts(); err != nil {
		return err
	}
	// One life makes one write at a time.
	l.seat.writes(&l.write)
	return l.t.records.Write(ctx, &l.write, r, commit)
}

// writes makes an event that of a write of the hand-over at work. Nothing else of it is
// ever set before the write is recorded, which another event is for.
func (s *seat) writes(e *harness.Event) {
	e.Worker, e.Incarnation, e.Delivery = s.number, s.incarnation, s.life.delivery
	e.Action, e.Op, e.N = "", "", 0
}
