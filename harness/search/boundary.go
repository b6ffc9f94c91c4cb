package search

import (
	"slices"

	"github.com/retrydrill/drill/harness"
)

// boundary is one crossing of a recorded run at which something else could happen.
type boundary struct {
	where harness.Where
	// at is the event's number in the run's history.
	at int
	// changes: the operation changes something.
	changes bool
	// next: nothing happened between this crossing and the one before it of the same
	// life, which is one at which that life can be ended or let down as well.
	next bool
	// sent: something that changes the target was sent by then.
	sent bool
	// unheard: a report that acknowledges nothing.
	unheard bool
}

// boundaries lists the crossings of a run behind the event numbered after, in the
// order in which they happened. With several workers each counts its own.
func boundaries(h *harness.History, after int) []boundary {
	b := survey{after: after, several: len(workersOf(h)) > 1, counts: map[harness.Where]int{}, asked: map[int]harness.Where{}}
	deliveries, told := 0, 0
	for i := range h.Events {
		e := &h.Events[i]
		switch {
		case e.Kind == harness.EvEffect && h.Promises.Events && !e.Effect.Foreign:
			told++
		case e.Kind == harness.EvDeliver:
			deliveries = max(deliveries, e.Delivery)
			b.add(e, harness.Where{Point: harness.Deliver, From: e.Delivery, To: e.Delivery})
		case e.Kind == harness.EvRequest && !e.Copy && e.Op != "":
			w := b.next(e, e.Op)
			b.asked[e.Attempt] = w
			b.add(e, on(w, harness.Request))
			if e.Changes {
				b.add(e, on(w, harness.Target))
			}
		case e.Kind == harness.EvAnswer && !e.Copy:
			if w, ok := b.asked[e.Attempt]; ok {
				b.add(e, on(w, harness.Response))
			}
		case e.Kind == harness.EvRecord:
			b.add(e, b.written(e))
		case e.Kind == harness.EvReport:
			b.add(e, b.next(e, harness.AtReport))
		}
		if !apartFrom(e) {
			b.last = e
		}
		b.sent = b.sent || e.Kind == harness.EvRequest && e.Changes
	}
	// What the target tells of an effect comes whenever it comes: with whatever else
	// happened before.
	for n := 1; n <= told; n++ {
		b.found = append(b.found, boundary{where: harness.Where{Point: harness.AtEvent, From: n, To: n}, at: len(h.Events) + 1})
	}
	next := harness.Where{Point: harness.Deliver, From: deliveries + 1, To: deliveries + 1}
	return append(b.found, boundary{where: next, at: len(h.Events) + 1})
}

// survey counts the crossings of one run.
type survey struct {
	after   int
	several bool
	counts  map[harness.Where]int
	// asked are the requests by attempt.
	asked map[int]harness.Where
	found []boundary
	sent  bool
	// last is what happened last, but for what only the harness knows.
	last *harness.Event
}

// next is the place of one more crossing at a point.
func (s *survey) next(e *harness.Event, point string) harness.Where {
	w := harness.Where{Point: point}
	if s.several {
		w.Worker = e.Worker
	}
	s.counts[w]++
	w.From, w.To = s.counts[w], s.counts[w]
	return w
}

// written is the place of a write. A life that dies before one leaves no event of it,
// and the write is counted all the same.
func (s *survey) written(e *harness.Event) harness.Where {
	if e.N > 0 && !s.several {
		s.counts[harness.Where{Point: harness.Record}] = e.N - 1
	}
	return s.next(e, harness.Record)
}

func (s *survey) add(e *harness.Event, w harness.Where) {
	if e.Seq > s.after && !slices.ContainsFunc(s.found, func(b boundary) bool { return b.where == w }) {
		s.found = append(s.found, boundary{where: w, at: e.Seq, changes: e.Changes, next: s.follows(e), sent: s.sent,
			unheard: e.Report != nil && e.Report.Outcome == harness.NeedsReview})
	}
}

// follows reports whether nothing lies between an event and its fellow: a write behind
// a write of one life, or the answer to a request that was asked just before it.
func (s *survey) follows(e *harness.Event) bool {
	l := s.last
	if l == nil || l.Seq <= s.after || l.Worker != e.Worker || l.Incarnation != e.Incarnation {
		return false
	}
	return e.Kind == harness.EvRecord && l.Kind == harness.EvRecord ||
		e.Kind == harness.EvAnswer && l.Kind == harness.EvRequest && l.Attempt == e.Attempt
}

func on(w harness.Where, side harness.Side) harness.Where {
	w.Side = side
	return w
}

func workersOf(h *harness.History) []int {
	var out []int
	for i := range h.Events {
		if w := h.Events[i].Worker; w > 0 && !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}

// struckAt is the number of the event that shows where a line struck first, or 0.
// What comes before it is as it was without the line. A delay is told of when it is
// over, and others go on meanwhile: it struck when the request came, or its answer.
func struckAt(h *harness.History, f harness.Fault) int {
	line := f.String()
	crossing := harness.EvRequest
	if f.Where.Side == harness.Response {
		crossing = harness.EvAnswer
	}
	for i := range h.Events {
		e := &h.Events[i]
		switch {
		case e.Kind == harness.EvDeliver && e.Deliver != nil && slices.Contains(e.Deliver.How, line):
			return e.Seq
		case e.Kind != harness.EvFault || e.Fault != line:
			continue
		case f.Where.IsOperation():
			for k := range i {
				if c := &h.Events[k]; c.Kind == crossing && c.Attempt == e.Attempt && !c.Copy {
					return c.Seq
				}
			}
		}
		return e.Seq
	}
	return 0
}
