package tap

import "github.com/retrydrill/drill/harness"

// tally is what was counted at one point: an operation, any, mutate, records, notices.
type tally struct {
	point string
	// all counts everything, n what meets the schedule's condition on connections: the
	// latter also by slot and by action. A trial has few of each: fewer than a map
	// would pay for.
	all, n  int
	workers []byWorker
	actions []byAction
}

type byWorker struct{ worker, n int }

type byAction struct {
	action string
	n      int
}

// numbers are those of one thing that was counted, at one point: over the trial, and
// among what its worker and its action did there.
type numbers struct {
	point    string
	n        int
	byWorker byWorker
	byAction byAction
}

// meets reports whether a line's place is where the counted thing is.
func (in *numbers) meets(w harness.Where) bool {
	switch {
	case w.Worker != 0 && w.Action != "":
		return false
	case w.Worker != 0:
		return w.Worker == in.byWorker.worker && w.Counts(in.byWorker.n)
	case w.Action != "":
		return w.Action == in.byAction.action && w.Counts(in.byAction.n)
	}
	return w.Counts(in.n)
}

// tallies are a session's counters.
type tallies []tally

// at returns the counter of a point, and makes it if there is none.
func (ts *tallies) at(point string) *tally {
	for i := range *ts {
		if (*ts)[i].point == point {
			return &(*ts)[i]
		}
	}
	if n := len(*ts); n < cap(*ts) {
		// What an earlier trial counted in is counted in again.
		*ts = (*ts)[:n+1]
		t := &(*ts)[n]
		*t = tally{point: point, workers: t.workers[:0], actions: t.actions[:0]}
		return t
	}
	*ts = append(*ts, tally{point: point})
	return &(*ts)[len(*ts)-1]
}

// seen returns the counter of a point where something was counted, else one that
// counted nothing.
func (ts tallies) seen(point string) tally {
	for i := range ts {
		if ts[i].point == point {
			return ts[i]
		}
	}
	return tally{}
}

// count counts one more. What is no worker's, or no action's, is not counted by these.
func (t *tally) count(worker int, action string) numbers {
	t.n++
	out := numbers{point: t.point, n: t.n}
	if worker != 0 {
		w := t.of(worker)
		w.n++
		out.byWorker = *w
	}
	if action != "" {
		a := t.about(action)
		a.n++
		out.byAction = *a
	}
	return out
}

// next are the numbers that count would give.
func (t *tally) next(worker int, action string) numbers {
	out := numbers{t.point, t.n + 1, *t.of(worker), *t.about(action)}
	out.byWorker.n++
	out.byAction.n++
	return out
}

func (t *tally) of(worker int) *byWorker {
	for i := range t.workers {
		if t.workers[i].worker == worker {
			return &t.workers[i]
		}
	}
	t.workers = append(t.workers, byWorker{worker: worker})
	return &t.workers[len(t.workers)-1]
}

func (t *tally) about(action string) *byAction {
	for i := range t.actions {
		if t.actions[i].action == action {
			return &t.actions[i]
		}
	}
	t.actions = append(t.actions, byAction{action: action})
	return &t.actions[len(t.actions)-1]
}
