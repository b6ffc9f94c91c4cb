package check

import (
	"testing"

	"github.com/retrydrill/drill/harness"
)

// hears hands a notice to another worker, in the middle of what goes on.
func (t *tape) hears(worker int, n harness.Notice) {
	t.worker, t.life = worker, 1
	t.add(harness.Event{Kind: harness.EvNotice, Notice: &n, N: 1, Attempt: 1, Action: "A"})
	t.add(harness.Event{Kind: harness.EvDeliver, Deliver: &harness.Delivered{Event: &n}})
}

var ofA = harness.Notice{ID: "evt_1", Type: "thing.created", Op: "create", Resource: "r1", Reference: "id-A", Attempt: 1}

// lostAfter is an action whose answer is lost once the effect stands, and of which
// another worker then hears.
func lostAfter(n harness.Notice) *tape {
	t := newTape(kept(), "event#1 early", "create#1 response close")
	t.deliver("t", act("A"))
	x := t.create(key("k1"))
	t.effect(x, "r1")
	t.lose(x, "create#1 response close")
	t.hears(2, n)
	return t
}

// TestNoticesAreJudged: what is made and reported by who hears of something is judged
// like all else.
func TestNoticesAreJudged(t *testing.T) {
	stranger := ofA
	stranger.Resource, stranger.Reference, stranger.Foreign = "r9", "id-Z", true
	for id, cases := range map[string][]one{
		"one-effect": {
			{"it is taken for one more order", convicted, func() *tape {
				t := lostAfter(ofA)
				t.does("r2", key("evt_1"))
				t.end("returned", "")
				return t
			}},
			{"it is looked up", cleared, func() *tape {
				t := lostAfter(ofA)
				t.pass(t.find(), 200, found(obj("r1", "id-A")))
				t.done("r1")
				t.end("returned", "")
				return t
			}},
		},
		"arguments-bound": {
			{"other arguments are reported as done", convicted, func() *tape {
				t := lostAfter(ofA)
				t.deliver("t", act("A", changed))
				t.done("r1")
				return t
			}},
			{"other arguments are refused, and a notice is answered after them", cleared, func() *tape {
				t := lostAfter(ofA)
				t.deliver("t", act("A", changed))
				t.rejected(harness.ArgumentsChanged)
				t.hears(1, ofA)
				t.done("r1")
				return t
			}},
			{"other arguments are refused, and a recovery settles the action after them", cleared, func() *tape {
				t := lostAfter(ofA)
				t.deliver("t", act("A", changed))
				t.rejected(harness.ArgumentsChanged)
				t.deliver("")
				t.add(harness.Event{Kind: harness.EvReport, Action: "A", Report: &harness.Report{ActionID: "id-A", Outcome: harness.Done, Resource: "r1"}})
				t.end("returned", "")
				return t
			}},
		},
		"true-report": {
			{"a stranger's is taken for its own", convicted, func() *tape {
				t := lostAfter(stranger)
				t.done("r9")
				t.end("returned", "")
				return t
			}},
			{"a stranger's is left alone", cleared, func() *tape {
				t := lostAfter(stranger)
				t.end("returned", "")
				t.worker = 1
				t.done("r1")
				return t
			}},
		},
		"reconcile-first": {
			{"it is acted on before anything was read", convicted, func() *tape {
				t := lostAfter(ofA)
				t.Promises.Key.Kept = false
				t.does("r2")
				return t
			}},
			{"a look-up of who hears of it proves nothing there", cleared, func() *tape {
				t := lostAfter(ofA)
				t.Promises.Key.Kept = false
				t.pass(t.find(), 200)
				t.does("r2")
				return t
			}},
		},
	} {
		t.Run(id, func(t *testing.T) { try(t, id, cases) })
	}
}
