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
}

// boundaries lists the crossings of a run behind the event numbered after, in the
// order in which they happened. With several workers each counts its own.
func boundaries(h *harness.History, after int) []boundary {
	b := survey{after: after, several: len(workersOf(h)) > 1, counts: map[harness.Where]int{}, asked: map[int]harness.Where{}}
	deliveries := 0
	for _, e := range h.Events {
		switch {
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
			b.add(e, b.next(e, harness.Record))
		case e.Kind == harness.EvReport:
			b.add(e, b.next(e, harness.AtReport))
		}
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
}

// next is the place of one more crossing at a point.
func (s *survey) next(e harness.Event, point string) harness.Where {
	w := harness.Where{Point: point}
	if s.several {
		w.Worker = e.Worker
	}
	s.counts[w]++
	w.From, w.To = s.counts[w], s.counts[w]
	return w
}

func (s *survey) add(e harness.Event, w harness.Where) {
	if e.Seq > s.after && !slices.ContainsFunc(s.found, func(b boundary) bool { return b.where == w }) {
		s.found = append(s.found, boundary{where: w, at: e.Seq, changes: e.Changes})
	}
}

func on(w harness.Where, side harness.Side) harness.Where {
	w.Side = side
	return w
}

func workersOf(h *harness.History) []int {
	var out []int
	for _, e := range h.Events {
		if e.Worker > 0 && !slices.Contains(out, e.Worker) {
			out = append(out, e.Worker)
		}
	}
	return out
}

// struckAt is the number of the event that shows where a line struck first, or 0.
// What comes before it is as it was without the line.
func struckAt(h *harness.History, f harness.Fault) int {
	line := f.String()
	for _, e := range h.Events {
		if e.Kind == harness.EvFault && e.Fault == line ||
			e.Kind == harness.EvDeliver && e.Deliver != nil && slices.Contains(e.Deliver.How, line) {
			return e.Seq
		}
	}
	return 0
}
