package deliver

import (
	"slices"
	"time"

	"github.com/retrydrill/drill/harness"
)

// Ended is how one hand-over ended.
type Ended struct {
	*Hand
	Heard
	// Incarnation is the life that had it; Died: it ended by a signal.
	Incarnation int
	Died        bool
}

// Told is one of the things that there are to record of a hand-over at its end.
type Told struct {
	Kind harness.EventKind
	// Note says why, Fault which line struck.
	Note, Fault string
}

// End settles a delivery or makes it due again. It returns what there is to record,
// which stands until the next End; Over comes after that.
func (q *Queue) End(x Ended, now time.Duration) []Told {
	m := x.Message
	x.Hand.ended = true
	q.atWork = slices.DeleteFunc(q.atWork, func(n int) bool { return n == x.Worker })
	for _, w := range q.messages {
		// A worker that waits for another goes on as soon as one has ended; one that
		// ended in waiting itself is none, or two that wait would wake each other.
		if w.waiting && w != m && !x.Waits {
			w.due, w.waiting = now, false
		}
	}
	if m.event == nil {
		q.lastEnd, q.lastAcked, q.lastDied, q.lastParked = now, x.Nack == "", x.Died, x.Parks
	}
	if x.Nack == "" && m.event == nil && len(q.ackLines) > 0 {
		if f := q.acknowledged(x); f != nil {
			return q.astray(x, f, now)
		}
	}
	if x.Nack == "" {
		m.settled = true
		q.told = append(q.told[:0], Told{Kind: harness.EvAck})
		return q.told
	}
	q.told = append(q.told[:0], Told{Kind: harness.EvNack, Note: x.Nack})
	if m.acked {
		m.settled = true
		return q.told
	}
	postpone := q.postpone
	if m.event != nil {
		postpone = q.endNotice
	}
	if bound := postpone(x, now); bound != "" {
		m.settled = true
		q.told = append(q.told, Told{Kind: harness.EvBound, Note: bound})
	}
	return q.told
}

// postpone says when a message is handed over again, and which bound was hit.
func (q *Queue) postpone(x Ended, now time.Duration) (bound string) {
	m, l := x.Message, q.s.Limits
	m.due = now + l.Visibility()
	switch {
	case x.Parks:
		// What it waits for comes with a planned hand-over, or never.
		m.settled = true
	case x.Waits:
		m.waiting = true
		if m.waits++; m.waits >= l.Waits {
			bound = "hand-overs that end in waiting"
		}
	case x.Died:
		m.fails++
		m.due = now
	default:
		m.fails++
	}
	if m.fails >= l.Deliveries {
		m.settled = true
		if !x.Review {
			bound = "deliveries"
		}
	}
	return bound
}
