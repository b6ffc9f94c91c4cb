package tap

import "github.com/retrydrill/drill/harness"

// tallies are a session's counters.
type tallies struct {
	any, mutate, records, notices tally
	// ops are by operation.
	ops []tally
	// scoped: a line asks for what a worker or an action did.
	scoped bool
}

// begin makes them those of another trial.
func (ts *tallies) begin(scoped bool) {
	ts.any.empty()
	ts.mutate.empty()
	ts.records.empty()
	ts.notices.empty()
	ts.ops, ts.scoped = ts.ops[:0], scoped
}

// op returns the counter of an operation, and makes it if there is none.
func (ts *tallies) op(name string) *tally {
	for i := range ts.ops {
		if ts.ops[i].point == name {
			return &ts.ops[i]
		}
	}
	if n := len(ts.ops); n < cap(ts.ops) {
		// What an earlier trial counted in is counted in again.
		ts.ops = ts.ops[:n+1]
		ts.ops[n].empty()
		ts.ops[n].point = name
	} else {
		ts.ops = append(ts.ops, tally{point: name})
	}
	return &ts.ops[len(ts.ops)-1]
}

// seen returns the counter of a point where something was counted, else one that
// counted nothing.
func (ts *tallies) seen(point string) tally {
	switch point {
	case harness.AnyOp:
		return ts.any
	case harness.MutateOp:
		return ts.mutate
	case harness.Record:
		return ts.records
	case harness.AtEvent:
		return ts.notices
	}
	for i := range ts.ops {
		if ts.ops[i].point == point {
			return ts.ops[i]
		}
	}
	return tally{}
}

// request counts a request under any, its operation and mutate. It returns its number
// under its operation, and keeps those that the lines count where it meets their condition.
func (ts *tallies) request(c *Crossed, op string, changes bool, worker int, action string) (n int) {
	ts.any.all++
	n = ts.any.all
	if c.meets {
		c.any = ts.any.count(ts.scoped, worker, action)
	}
	if op != "" {
		t := ts.op(op)
		t.all++
		n = t.all
		if c.meets {
			c.op = t.count(ts.scoped, worker, action)
		}
	}
	if changes {
		ts.mutate.all++
		if c.meets {
			c.mutate = ts.mutate.count(ts.scoped, worker, action)
		}
	}
	return n
}

// scope has the requests so far counted by worker and by action, too.
func (ts *tallies) scope(attempts []*Crossed) {
	if ts.scoped {
		return
	}
	ts.scoped = true
	for _, c := range attempts {
		if !c.meets {
			continue
		}
		ts.any.scope(c.Worker, c.Action)
		if c.Op != "" {
			ts.op(c.Op).scope(c.Worker, c.Action)
		}
		if c.Changes {
			ts.mutate.scope(c.Worker, c.Action)
		}
	}
}
