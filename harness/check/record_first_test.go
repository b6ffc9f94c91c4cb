package check

import (
	"testing"

	"github.com/retrydrill/drill/harness"
)

// records is a write of the executor's own store, as it ended.
func (t *tape) records(state string, attempt int, note string) {
	e := harness.Event{Kind: harness.EvRecord, Record: &harness.Recorded{State: state, Attempt: attempt}, Note: note}
	if len(t.held) == 1 {
		e.Action = t.held[0].Name
	}
	t.add(e)
}

// recording begins a trial in which the claim is recorded.
func recording(faults ...string) *tape {
	t := newTape(kept(), faults...)
	t.deliver("t", act("A"))
	t.records("approved", 0, recordWritten)
	return t
}

func TestRecordFirst(t *testing.T) {
	try(t, "record-first", []one{
		{"a worker that comes later has the records of the first, which is elsewhere by then", cleared, func() *tape {
			t := recording()
			t.records("sent", 1, recordWritten)
			t.create(key("k"))
			t.die()
			t.deliver("t", act("A"))
			t.Events[len(t.Events)-1].Deliver.How = []string{"deliver#2 elsewhere"}
			t.at(2, 1, 3)
			t.deliverAs("t", act("A"))
			t.records("sent", 1, recordWritten)
			t.does("r1", key("k"))
			t.done("r1")
			return t
		}},
		{"a worker that was there before has its own", convicted, func() *tape {
			t := recording()
			t.records("sent", 1, recordWritten)
			t.create(key("k"))
			t.at(2, 1, 1)
			t.deliverAs("t", act("A"))
			t.at(1, 2, 2)
			t.deliverAs("t", act("A"))
			t.Events[len(t.Events)-1].Deliver.How = []string{"deliver#2 elsewhere"}
			t.at(2, 1, 3)
			t.deliverAs("t", act("A"))
			t.records("sent", 1, recordWritten)
			t.does("r1", key("k"))
			t.done("r1")
			return t
		}},
		{"the request leaves before its record", convicted, func() *tape {
			t := recording()
			n := t.create(key("k"))
			t.records("sent", 1, recordWritten)
			t.effect(n, "r1")
			t.pass(n, 201, res("r1"))
			t.done("r1")
			return t
		}},
		{"its record failed", convicted, func() *tape {
			t := recording()
			t.records("sent", 1, "failed")
			t.does("r1", key("k"))
			t.done("r1")
			return t
		}},
		{"one record for two requests", convicted, func() *tape {
			t := recording()
			t.records("sent", 1, recordWritten)
			n := t.create(key("k"))
			t.stand(n, 429)
			t.does("r1", key("k"))
			t.done("r1")
			return t
		}},
		{"the record counts one of two", convicted, func() *tape {
			t := recording()
			t.records("sent", 1, recordWritten)
			n := t.create(key("k"))
			t.stand(n, 429)
			t.records("sent", 1, recordWritten)
			t.does("r1", key("k"))
			t.done("r1")
			return t
		}},
		{"each request has its record", cleared, func() *tape {
			t := recording()
			t.records("sent", 1, recordWritten)
			n := t.create(key("k"))
			t.stand(n, 429)
			t.records("approved", 1, recordWritten)
			t.records("sent", 2, recordWritten)
			t.does("r1", key("k"))
			t.done("r1")
			return t
		}},
		{"the record was acknowledged and lost", cleared, func() *tape {
			t := recording()
			t.records("sent", 1, recordLost)
			t.create(key("k"))
			t.die()
			t.deliver("t", act("A"))
			t.records("sent", 1, recordWritten)
			t.does("r1", key("k"))
			t.done("r1")
			return t
		}},
		{"undone and approved anew: a record of its own", cleared, func() *tape {
			t := recording()
			t.records("sent", 1, recordWritten)
			t.does("r1", key("k"))
			t.records("confirmed", 1, recordWritten)
			t.records("approved", 0, recordWritten)
			t.records("sent", 1, recordWritten)
			t.does("r2", key("k:2"))
			return t
		}},
		{"the count begins anew while the outcome is open", convicted, func() *tape {
			t := recording()
			t.records("sent", 1, recordWritten)
			t.stand(t.create(key("k")), 504)
			t.records("unknown", 1, recordWritten)
			t.records("approved", 0, recordWritten)
			t.records("sent", 1, recordWritten)
			t.does("r2", key("k"))
			return t
		}},
		{"another machine counts anew", cleared, func() *tape {
			t := recording()
			t.records("sent", 1, recordWritten)
			t.does("r1", key("k"))
			t.done("r1")
			t.deliver("t", act("A"))
			t.Events[len(t.Events)-1].Deliver.How = []string{"deliver#2 elsewhere"}
			t.records("sent", 1, recordWritten)
			t.pass(t.create(key("k")), 201, res("r1"))
			t.done("r1")
			return t
		}},
		{"two machines count each for itself", cleared, func() *tape {
			t := recording()
			t.records("sent", 1, recordWritten)
			n := t.create(key("k"))
			t.at(2, 1, 2)
			t.deliver("t", act("A"))
			t.Events[len(t.Events)-1].Deliver.How = []string{"deliver#2 elsewhere"}
			t.records("sent", 1, recordWritten)
			t.stand(t.create(key("k")), 429)
			t.records("sent", 2, recordWritten)
			t.pass(t.create(key("k")), 201, res("r1"))
			t.done("r1")
			t.at(1, 1, 1)
			t.stand(n, 504)
			t.records("sent", 2, recordWritten)
			t.pass(t.create(key("k")), 201, res("r1"))
			return t
		}},
		{"another worker takes over on the other machine", cleared, func() *tape {
			t := recording()
			t.records("sent", 1, recordWritten)
			t.pass(t.create(key("k")), 201, res("r1"))
			t.records("sent", 2, recordWritten)
			t.pass(t.create(key("k")), 201, res("r1"))
			t.done("r1")
			t.deliver("t", act("A"))
			t.Events[len(t.Events)-1].Deliver.How = []string{"deliver#2 elsewhere"}
			t.records("sent", 1, recordWritten)
			t.create(key("k"))
			t.at(2, 1, 3)
			t.deliverAs("t", act("A"))
			t.records("sent", 2, recordWritten)
			t.pass(t.create(key("k")), 201, res("r1"))
			return t
		}},
		{"the transport sent it again", cleared, func() *tape {
			t := recording(reset)
			t.records("sent", 1, recordWritten)
			n := t.create(key("k"), on(1, true))
			t.effect(n, "r1")
			t.lose(n, reset)
			t.pass(t.create(key("k"), on(2, false)), 201, res("r1"), replayed)
			t.heard("", 2)
			t.done("r1")
			return t
		}},
		{"the transport sent it again, torn at first", cleared, func() *tape {
			t := recording()
			t.records("sent", 1, recordWritten)
			n := t.create(key("k"), on(1, true), tornBody, key("k"), func(e *harness.Event) { e.Body = "" })
			t.answer(harness.EvLost, n, 0, func(e *harness.Event) { e.Fault = "create#1 request cut 5" })
			n = t.create(key("k"), on(2, false))
			t.effect(n, "r1")
			t.pass(n, 201, res("r1"))
			t.heard("", 2)
			t.done("r1")
			return t
		}},
		{"a twin of the action is recorded under the first one's ID", cleared, func() *tape {
			t := recording()
			t.records("sent", 1, recordWritten)
			n := t.create(key("id-A"))
			t.stand(n, 429)
			t.end("exit 75", "failed: exit 75")
			t.deliver("t", act("A'", twin))
			t.records("sent", 2, recordWritten)
			t.Events[len(t.Events)-1].Action = "A"
			t.does("r1", key("id-A"))
			t.done("r1")
			return t
		}},
		{"nobody stands at the records", unchecked, func() *tape {
			t := newTape(kept())
			t.deliver("t", act("A"))
			t.does("r1", key("k"))
			t.done("r1")
			return t
		}},
	})
}
