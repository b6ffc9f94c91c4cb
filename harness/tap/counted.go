package tap

import "github.com/retrydrill/drill/harness"

// counted is one thing that places count: a request, a report, a write of an executor's
// store, or what the target told by itself.
type counted struct {
	op     string
	action string
	worker int
	// n is a request's number over the trial, under its operation.
	n       int
	changes bool
	// unmet: the request does not meet the conditions on connections. Lines do not count
	// it; as an event it counts.
	unmet bool
}

// at reports whether it is counted at a place: a request under its operation, under any,
// and under mutate if it changes something; all else under its own point; and with @ what
// that worker did alone, or was done for that action.
func (c *counted) at(w *harness.Where) bool {
	if w.Worker != 0 && c.worker != w.Worker || w.Action != "" && c.action != w.Action {
		return false
	}
	if c.op == w.Point {
		return true
	}
	switch w.Point {
	case harness.MutateOp:
		return c.changes
	case harness.AnyOp, harness.AtReport, harness.Record, harness.AtEvent, harness.Deliver:
		return true
	}
	return false
}

// counts are the things of a trial, in the order in which they are counted. A thing comes
// under the locks of both the session and its recorder, so that either may read them.
type counts struct{ requests, reports, records, notices []counted }

func (cs *counts) empty() {
	cs.requests, cs.reports, cs.records, cs.notices = cs.requests[:0], cs.reports[:0], cs.records[:0], cs.notices[:0]
}

// next is the number of the next request of an operation, or among all where it has none.
func (cs *counts) next(op string) int {
	if op == "" {
		return len(cs.requests) + 1
	}
	for i := len(cs.requests) - 1; i >= 0; i-- {
		if c := &cs.requests[i]; c.op == op {
			return c.n + 1
		}
	}
	return 1
}

// of are those that are counted at the point of a place.
func (cs *counts) of(w *harness.Where) []counted {
	switch w.Point {
	case harness.AtReport:
		return cs.reports
	case harness.Record:
		return cs.records
	case harness.AtEvent:
		return cs.notices
	}
	if w.IsOperation() {
		return cs.requests
	}
	return nil
}
