package tap

import "github.com/retrydrill/drill/harness"

// tally is what was counted at one point: an operation, any, mutate, records, notices.
type tally struct {
	point string
	// all counts everything, n what meets the schedule's condition on connections: the
	// latter also by slot and by action, where a line asks. A trial has few of each:
	// fewer than a map would pay for.
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
type numbers struct{ n, ofWorker, ofAction int }

// meet reports whether a line's place is where a thing of these numbers is, which this
// worker did for this action.
func (in numbers) meet(w *harness.Where, worker int, action string) bool {
	switch {
	case w.Worker != 0 && w.Action != "":
		return false
	case w.Worker != 0:
		return w.Worker == worker && w.Counts(in.ofWorker)
	case w.Action != "":
		return w.Action == action && w.Counts(in.ofAction)
	}
	return w.Counts(in.n)
}

// empty makes it count from the beginning.
func (t *tally) empty() { t.all, t.n, t.workers, t.actions = 0, 0, t.workers[:0], t.actions[:0] }

// count counts one more; scoped, by worker and by action too. What is no worker's, or no
// action's, is not counted by these.
func (t *tally) count(scoped bool, worker int, action string) (in numbers) {
	t.n++
	in.n = t.n
	if scoped {
		in.ofWorker, in.ofAction = t.scope(worker, action)
	}
	return in
}

func (t *tally) scope(worker int, action string) (ofWorker, ofAction int) {
	if worker != 0 {
		w := t.of(worker)
		w.n++
		ofWorker = w.n
	}
	if action != "" {
		a := t.about(action)
		a.n++
		ofAction = a.n
	}
	return ofWorker, ofAction
}

// next are the numbers that count would give.
func (t *tally) next(worker int, action string) numbers {
	return numbers{t.n + 1, t.of(worker).n + 1, t.about(action).n + 1}
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
