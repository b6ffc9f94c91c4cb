package search

import (
	"context"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/check"
)

// Judging is a world that judges what it carries out, since that may have to be carried
// out again.
type Judging interface {
	Judged(ctx context.Context, s harness.Schedule) (*harness.History, check.Judgement, error)
}

// Judged carries out a schedule and weighs what came of it, once.
func Judged(ctx context.Context, w harness.World, s harness.Schedule) (*harness.History, check.Judgement, error) {
	if j, ok := w.(Judging); ok {
		return j.Judged(ctx, s)
	}
	h, err := w.Run(ctx, s)
	if err != nil {
		return h, check.Judgement{}, err
	}
	return h, check.Weigh(h), nil
}

// mostDeliveries bounds how often a schedule may be handed over.
const mostDeliveries = 40

// Through runs a schedule to its end: where its hand-overs are used up before there was
// one, since a fault struck the last of them, it is run again with twice as many. The
// limit is the search's, and says nothing of the executor. It returns the limit that
// was needed, or 0 where it is the schedule's own.
func Through(ctx context.Context, w harness.World, s harness.Schedule) (h *harness.History, j check.Judgement, deliveries int, err error) {
	return through(ctx, w, s, mostDeliveries)
}

// through is [Through] up to a number of hand-overs.
func through(ctx context.Context, w harness.World, s harness.Schedule, most int) (h *harness.History, j check.Judgement, deliveries int, err error) {
	for {
		h, j, err = Judged(ctx, w, s)
		if err != nil || !UsedUp(h) || 2*s.Limits.Deliveries > most {
			return h, j, deliveries, err
		}
		s.Limits.Deliveries *= 2
		deliveries = s.Limits.Deliveries
		harness.Reuse(w, h)
	}
}

// UsedUp reports whether a message was handed over as often as the limit allows.
func UsedUp(h *harness.History) bool {
	for i := range h.Events {
		if e := &h.Events[i]; e.Kind == harness.EvBound && e.Note == "deliveries" {
			return true
		}
	}
	return false
}
