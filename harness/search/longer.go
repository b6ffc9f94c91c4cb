package search

import (
	"context"

	"github.com/retrydrill/drill/harness"
)

// mostDeliveries bounds how often a schedule may be handed over.
const mostDeliveries = 40

// through runs a schedule to its end: where its hand-overs are used up before there was
// one, since a fault struck the last of them, it is run again with twice as many. The
// limit is the search's, and says nothing of the executor. It returns the limit that
// was needed, or 0 where it is the schedule's own.
func (e *explorer) through(ctx context.Context, s harness.Schedule) (h *harness.History, deliveries int, err error) {
	for {
		h, err = e.World.Run(ctx, s)
		if err != nil || !usedUp(h) || 2*s.Limits.Deliveries > mostDeliveries {
			return h, deliveries, err
		}
		s.Limits.Deliveries *= 2
		deliveries = s.Limits.Deliveries
		harness.Reuse(e.World, h)
	}
}

// usedUp reports whether a message was handed over as often as the limit allows.
func usedUp(h *harness.History) bool {
	for i := range h.Events {
		if e := &h.Events[i]; e.Kind == harness.EvBound && e.Note == "deliveries" {
			return true
		}
	}
	return false
}
