package wire

import (
	"context"
	"time"

	"github.com/retrydrill/drill/harness/tap"
)

// gated holds a request at the rendezvous of its trial.
func (t *trial) gated(ctx context.Context, x *tap.Exchange) (leave func()) {
	g := t.gate.Load()
	if g == nil {
		return func() {}
	}
	p, turn := g.Arrive(x.Worker, x.Changes)
	if turn == nil {
		return func() {}
	}
	late := time.NewTimer(t.s.Limits.Delivery.D())
	defer late.Stop()
	select {
	case <-turn:
	case <-late.C:
	case <-ctx.Done():
	}
	t.session.Held(x.Event, "", unless(turn, tap.HoldLate))
	return func() { g.Leave(p) }
}
