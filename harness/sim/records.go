package sim

import (
	"context"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/deliver"
	"github.com/retrydrill/drill/harness/worker"
)

// records stands at the writes of a life's own store.
type records life

// Write implements [worker.RecordGate].
func (g *records) Write(ctx context.Context, r worker.Record, commit func(worker.RecordOrder) worker.RecordEnd) error {
	l := (*life)(g)
	if err := l.enter(); err != nil {
		return err
	}
	x := deliver.Records{Session: l.t.session,
		Kill: func(harness.Event) bool { return l.die() },
		Hold: func(_ context.Context, e harness.Event, f harness.Fault) { l.t.holdUntil(e, f) }}
	return x.Write(ctx, l.seat.event(""), r, commit)
}
