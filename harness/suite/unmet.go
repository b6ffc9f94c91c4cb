package suite

import "github.com/retrydrill/drill/harness"

// reconnected reports whether the trial's faults found nothing to strike since the
// executor opened a new connection for each request that was to be struck on a used
// one. A pool may do so in one trial and not in the next, so that the control does not
// settle it: the need is unmet in this trial.
func reconnected(h *harness.History) bool {
	if h.Schedule.Connection != "warm" {
		return false
	}
	unfired := false
	for i, told := range h.FaultsFired() {
		f := &h.Schedule.Faults[i]
		if told.Fired || f.Optional {
			continue
		}
		if !f.Where.IsOperation() || struckWarm(h, f.Where) {
			return false
		}
		unfired = true
	}
	return unfired
}

// struckWarm reports whether a request of the place came on a used connection.
func struckWarm(h *harness.History, w harness.Where) bool {
	for i := range h.Events {
		e := &h.Events[i]
		named := w.Point == e.Op || w.Point == harness.AnyOp || w.Point == harness.MutateOp && e.Changes
		if e.Kind == harness.EvRequest && named && (w.Action == "" || w.Action == e.Action) && e.Warm {
			return true
		}
	}
	return false
}

const unmetWarm = "needs reuses-connections: in this trial the executor opened a new connection each time"
