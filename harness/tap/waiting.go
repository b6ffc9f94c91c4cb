package tap

import "github.com/retrydrill/drill/harness"

// When returns a channel that is closed once an event of this place happened,
// also if it happened before.
func (r *Recorder) When(w harness.Where) <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	k := &waiter{w, make(chan struct{})}
	if r.happened(&w) {
		close(k.done)
		return k.done
	}
	r.seen = append(r.seen, k)
	return k.done
}

// Happened reports whether an event of this place has happened.
func (r *Recorder) Happened(w harness.Where) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.happened(&w)
}

func (r *Recorder) happened(w *harness.Where) bool {
	for i := range r.events {
		if r.at(w, &r.events[i]) {
			return true
		}
	}
	return false
}

// is reports whether an event that was recorded is that of a place.
func (r *Recorder) is(w *harness.Where, e *harness.Event) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.at(w, e)
}

func (r *Recorder) wake(e *harness.Event) {
	rest := r.seen[:0]
	for _, k := range r.seen {
		if r.at(&k.where, e) {
			close(k.done)
			continue
		}
		rest = append(rest, k)
	}
	r.seen = rest
}

func (r *Recorder) at(w *harness.Where, e *harness.Event) bool {
	return beside(w, e) && tells(w, e) && w.Counts(r.number(w, e))
}

// beside reports whether the event is one of the place's point, worker and action.
func beside(w *harness.Where, e *harness.Event) bool {
	if w.Worker != 0 && e.Worker != w.Worker || w.Action != "" && e.Action != w.Action {
		return false
	}
	switch w.Point {
	case harness.Deliver, harness.AtReport, harness.AtEvent, harness.Record, harness.AnyOp:
		return true
	case harness.MutateOp:
		return e.Changes
	}
	return w.IsOperation() && e.Op == w.Point
}

// tells reports whether the event is of the kind that the place waits for.
func tells(w *harness.Where, e *harness.Event) bool {
	if !w.IsOperation() {
		return e.Kind == counted(w)
	}
	switch {
	case e.Copy:
		return false
	case w.Side == harness.Target:
		return e.Kind == harness.EvAnswer
	case w.Side == harness.Response:
		return e.Kind == harness.EvPassed || e.Kind == harness.EvLost
	}
	return e.Kind == harness.EvRequest
}

// counted is the kind of the events that are counted at a place.
func counted(w *harness.Where) harness.EventKind {
	switch w.Point {
	case harness.Deliver:
		return harness.EvDeliver
	case harness.AtReport:
		return harness.EvReport
	case harness.AtEvent:
		return harness.EvNotice
	case harness.Record:
		return harness.EvRecord
	}
	return harness.EvRequest
}

// number is that of the event at the place: over the trial, as it says itself, or among
// what the place's worker or action did there, as the lines count it.
func (r *Recorder) number(w *harness.Where, e *harness.Event) (n int) {
	mine := order(w, e)
	if w.Point == harness.Deliver || w.Worker == 0 && w.Action == "" && w.Point != harness.MutateOp {
		return mine
	}
	kind := counted(w)
	for i := range r.events {
		if x := &r.events[i]; x.Kind == kind && !x.Copy && beside(w, x) && order(w, x) <= mine {
			n++
		}
	}
	return n
}

// order is the number of an event over the trial, among those that the place counts.
func order(w *harness.Where, e *harness.Event) int {
	switch w.Point {
	case harness.Deliver:
		return e.Delivery
	case harness.AnyOp, harness.MutateOp:
		return e.Attempt
	}
	return e.N
}
