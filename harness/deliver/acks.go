package deliver

import (
	"slices"
	"time"

	"github.com/retrydrill/drill/harness"
)

// AtAck are the faults that [Queue.End] carries out.
var AtAck = []string{"ack expire", "ack lose", "ack late"}

// ack is an acknowledgement on its way to the queue.
type ack struct {
	worker  int
	actions []handed
}

// of reports whether a place counts it.
func (a ack) of(w harness.Where) bool {
	return (w.Worker == 0 || w.Worker == a.worker) &&
		(w.Action == "" || slices.ContainsFunc(a.actions, func(h handed) bool { return h.Name == w.Action }))
}

// acknowledged takes an acknowledgement in, and returns the line that strikes it, or nil.
func (q *Queue) acknowledged(x Ended) *harness.Fault {
	a := ack{x.Worker, slices.Clone(x.Message.actions)}
	q.acks = append(q.acks, a)
	for _, f := range q.ackLines {
		if !a.of(f.Where) {
			continue
		}
		n := 0
		for _, b := range q.acks {
			if b.of(f.Where) {
				n++
			}
		}
		if f.Where.Counts(n) {
			return f
		}
	}
	return nil
}

// strayed are the acknowledgements that a queue does not get in time, with why the
// delivery is not acknowledged then.
var strayed = map[string]string{
	"lose":   "the acknowledgement was lost",
	"late":   "the acknowledgement came late",
	"expire": "the hand-over had expired before the acknowledgement",
}

// astray has the delivery come again whose acknowledgement strayed: to another worker
// where the hand-over had expired, and else to the same one once the queue hides it no
// longer. One that comes late is there by the end of that.
func (q *Queue) astray(x Ended, f *harness.Fault, now time.Duration) []Told {
	m := x.Message
	x.Nack, q.lastAcked = strayed[f.Name], false
	q.told = append(q.told[:0], Told{Kind: harness.EvNack, Note: x.Nack}, Told{Kind: harness.EvFault, Fault: f.String()})
	bound := q.postpone(x, now)
	switch {
	case bound != "":
		m.settled = true
		q.told = append(q.told, Told{Kind: harness.EvBound, Note: bound})
	case f.Name == "late":
		m.acked = true
	case f.Name == "expire":
		m.settled = true
		c := m.copyOf()
		c.fails, c.over = m.fails, make(chan struct{})
		q.expired = append(q.expired, c)
	}
	return q.told
}
