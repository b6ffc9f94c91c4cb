package tap

import "github.com/retrydrill/drill/harness"

// When returns a channel that is closed once an event of this place happened,
// also if it happened before.
func (r *Recorder) When(w harness.Where) <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	k := &waiter{w, make(chan struct{})}
	for i := range r.events {
		if matches(&w, &r.events[i]) {
			close(k.done)
			return k.done
		}
	}
	r.seen = append(r.seen, k)
	return k.done
}

// Happened reports whether an event of this place has happened.
func (r *Recorder) Happened(w harness.Where) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.events {
		if matches(&w, &r.events[i]) {
			return true
		}
	}
	return false
}

func (r *Recorder) wake(e *harness.Event) {
	rest := r.seen[:0]
	for _, k := range r.seen {
		if matches(&k.where, e) {
			close(k.done)
			continue
		}
		rest = append(rest, k)
	}
	r.seen = rest
}

// matches says whether the event is the place: N counts over the trial.
func matches(w *harness.Where, e *harness.Event) bool {
	if w.Worker != 0 && e.Worker != w.Worker || w.Action != "" && e.Action != w.Action {
		return false
	}
	switch w.Point {
	case harness.Deliver:
		return e.Kind == harness.EvDeliver && w.Counts(e.Delivery)
	case harness.AtReport:
		return e.Kind == harness.EvReport && w.Counts(e.N)
	case harness.AtEvent:
		return e.Kind == harness.EvNotice && w.Counts(e.N)
	case harness.Record:
		return e.Kind == harness.EvRecord && w.Counts(e.N)
	}
	if !w.IsOperation() || e.Copy {
		return false
	}
	n := e.N
	switch w.Point {
	case harness.AnyOp:
		n = e.Attempt
	case harness.MutateOp:
		if !e.Changes {
			return false
		}
	default:
		if e.Op != w.Point {
			return false
		}
	}
	if !w.Counts(n) {
		return false
	}
	switch w.Side {
	case harness.Request, "":
		return e.Kind == harness.EvRequest
	case harness.Target:
		return e.Kind == harness.EvAnswer
	}
	return e.Kind == harness.EvPassed || e.Kind == harness.EvLost
}
