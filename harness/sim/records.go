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
		Kill: func(e harness.Event) bool { return t.kill(e.Worker, e.Incarnation) },
		Hold: func(_ context.Context, e harness.Event, f harness.Fault) { t.holdUntil(e, f) }}
}

// records stands at the writes of a life's own store.
type records life

// Write implements [worker.RecordGate].
func (g *records) Write(ctx context.Context, r worker.Record, commit func(worker.RecordOrder) worker.RecordEnd) error {
	l := (*life)(g)
	if b := l.t.bubble; b != nil {
		return b.write(ctx, l, r, commit)
	}
	if err := l.enter(); err != nil {
		return err
	}
	l.seat.begins(&l.write, harness.EvRecord)
	return l.t.records.Write(ctx, &l.write, r, commit)
}
