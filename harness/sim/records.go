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
	e := l.t.writes.take()
	l.seat.writes(e)
	err := l.t.records.Write(ctx, e, r, commit)
	l.t.writes.give(e)
	return err
}

// writes makes an event that of a write of the hand-over at work. Nothing else of it is
// ever set before the write is recorded, which another event is for.
func (s *seat) writes(e *harness.Event) {
	e.Worker, e.Incarnation, e.Delivery = s.number, s.incarnation, s.life.delivery
	e.Action, e.Op, e.N = "", "", 0
}

// writes are events of writes that nobody is at: one that is held has its own as long
// as it is.
type writes []*harness.Event

func (w *writes) take() *harness.Event {
	n := len(*w)
	if n == 0 {
		return &harness.Event{}
	}
	e := (*w)[n-1]
	*w = (*w)[:n-1]
	return e
}

func (w *writes) give(e *harness.Event) { *w = append(*w, e) }
