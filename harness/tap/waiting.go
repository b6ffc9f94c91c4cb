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

// at reports whether the event is that of the place: a thing that is counted there, or what
// came of it. A hand-over is numbered by its queue.
func (r *Recorder) at(w *harness.Where, e *harness.Event) bool {
	if !tells(w, e) {
		return false
	}
	if w.Point == harness.Deliver {
		c := counted{worker: e.Worker, action: e.Action}
		return c.at(w) && w.Counts(e.Delivery)
	}
	n := e.N
	if w.IsOperation() {
		n = e.Attempt
	}
	all := r.counts.of(w)
	return n >= 1 && n <= len(all) && r.waited.is(w, &all[n-1], all, n-1)
}

// soFar is how many things are at a place, whatever connection they came on.
func (r *Recorder) soFar(w *harness.Where) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.waited.soFar(w, r.counts.of(w))
}

// tells reports whether the event is of the kind that the place waits for.
func tells(w *harness.Where, e *harness.Event) bool {
	switch w.Point {
	case harness.Deliver:
		return e.Kind == harness.EvDeliver
	case harness.AtReport:
		return e.Kind == harness.EvReport
	case harness.AtEvent:
		return e.Kind == harness.EvNotice
	case harness.Record:
		return e.Kind == harness.EvRecord
	}
	switch {
	case !w.IsOperation() || e.Copy:
		return false
	case w.Side == harness.Target:
		return e.Kind == harness.EvAnswer
	case w.Side == harness.Response:
		return e.Kind == harness.EvPassed || e.Kind == harness.EvLost
	}
	return e.Kind == harness.EvRequest
}
