package check

import (
	"testing"

	"github.com/retrydrill/drill/harness"
)

const reset = "create#1 response reset"

func TestOneEffect(t *testing.T) {
	try(t, "one-effect", []one{
		{"a retry under another key made a second one", convicted, func() *tape {
			t := newTape(kept(), reset)
			t.deliver("t", act("A"))
			n := t.create(key("k1"))
			t.effect(n, "r1")
			t.lose(n, reset)
			t.does("r2", key("k2"))
			t.done("r2")
			return t
		}},
		{"the second one lands after the report", convicted, func() *tape {
			t := newTape(kept())
			t.deliver("t", act("A"))
			n := t.create()
			t.does("r2")
			t.done("r2")
			t.effect(n, "r1")
			return t
		}},
		{"the twin of the action did it again", convicted, func() *tape {
			t := newTape(kept())
			t.deliver("t", act("A"))
			t.does("r1", key("k1"))
			t.done("r1")
			t.deliver("t", act("A'", twin))
			t.does("r2", key("k2"))
			t.done("r2")
			return t
		}},
		{"two actions, one effect each", cleared, func() *tape {
			t := newTape(kept())
			t.deliver("t", act("A"))
			t.does("r1", key("k1"))
			t.done("r1")
			t.deliver("u", act("B"))
			t.does("r2", key("k2"))
			t.done("r2")
			return t
		}},
		{"an undo is no effect", cleared, func() *tape {
			t := newTape(kept())
			t.deliver("t", act("A"))
			n := t.does("r1", key("k1"))
			t.effect(n, "r1", func(e *harness.Effect) { e.Kind = harness.Undo })
			t.done("r1")
			return t
		}},
		{"two parts of one effect", cleared, func() *tape {
			p := kept()
			p.Parts = []string{"payment", "goods"}
			t := newTape(p)
			t.deliver("t", act("A"))
			n := t.create(op("pay"), key("k:pay"))
			t.effect(n, "r1", func(e *harness.Effect) { e.Part = "payment" })
			m := t.create(op("ship"), key("k:ship"))
			t.effect(m, "r2", func(e *harness.Effect) { e.Part = "goods" })
			t.done("r1")
			return t
		}},
		{"a stranger's object is nobody's effect", cleared, func() *tape {
			t := newTape(kept())
			t.stranger("r0", "")
			t.deliver("t", act("A"))
			t.does("r1", key("k1"))
			t.done("r1")
			return t
		}},
		{"nothing was tried", unchecked, func() *tape {
			t := newTape(kept())
			t.deliver("t", act("A"))
			return t
		}},
	})
}

func TestNoLostEffect(t *testing.T) {
	const lost1 = "create#1 response close"
	try(t, "no-lost-effect", []one{
		{"of two that ask for the same, nobody can tell which was done", unchecked, func() *tape {
			t := newTape(kept())
			t.deliver("t", act("A"), act("B"))
			t.does("r1", unattributed)
			t.says(harness.Report{ActionID: "id-A", Outcome: harness.Done, Resource: "r1"})
			t.does("r2", unattributed)
			t.says(harness.Report{ActionID: "id-B", Outcome: harness.Done})
			t.end("exit 0", "")
			return t
		}},
		{"of two that ask for the same, nobody can tell which was refused", unchecked, func() *tape {
			t := newTape(kept())
			t.deliver("t", act("A"), act("B"))
			t.pass(t.create(unattributed), 402)
			t.says(harness.Report{ActionID: "id-A", Outcome: harness.Rejected})
			t.end("exit 0", "")
			return t
		}},
		{"of two that ask for the same, one names what is neither's", convicted, func() *tape {
			t := newTape(kept())
			t.deliver("t", act("A"), act("B"))
			t.does("r1", unattributed)
			t.says(harness.Report{ActionID: "id-A", Outcome: harness.Done, Resource: "r0"})
			t.end("exit 0", "")
			return t
		}},
		{"done before anything was sent", convicted, func() *tape {
			t := newTape(kept())
			t.deliver("t", act("A"))
			t.done("")
			return t
		}},
		{"the target took it for a duplicate and did nothing", convicted, func() *tape {
			t := newTape(kept())
			t.deliver("t", act("A"))
			t.pass(t.create(key("k")), 201, res("r1"))
			t.done("r1")
			return t
		}},
		{"an unknown outcome taken for a failure", convicted, func() *tape {
			t := newTape(kept(), "create#1 request reset")
			t.deliver("t", act("A"))
			t.lose(t.create(key("k")), "create#1 request reset")
			t.rejected("")
			return t
		}},
		{"refused for now, then an unknown outcome taken for a failure", convicted, func() *tape {
			t := newTape(kept(), "create#2 request reset")
			t.deliver("t", act("A"))
			t.pass(t.create(key("k")), 429)
			t.lose(t.create(key("k")), "create#2 request reset")
			t.rejected("")
			return t
		}},
		{"an unknown outcome, then refused for now, taken for a failure", convicted, func() *tape {
			t := newTape(kept(), "create#1 request reset")
			t.deliver("t", act("A"))
			t.lose(t.create(key("k")), "create#1 request reset")
			t.pass(t.create(key("k2")), 429)
			t.rejected("")
			return t
		}},
		{"an unknown outcome, then refused for good under another key: no lost one, whatever else it is", cleared, func() *tape {
			t := newTape(kept(), "create#1 request reset")
			t.deliver("t", act("A"))
			t.lose(t.create(key("k")), "create#1 request reset")
			t.pass(t.create(key("k2")), 402)
			t.rejected("")
			return t
		}},
		{"rejected again although it was approved again", convicted, func() *tape {
			t := newTape(kept())
			t.deliver("t", act("A"))
			t.pass(t.create(key("k")), 402)
			t.rejected("")
			t.deliver("t", act("A", reapproved))
			t.rejected("")
			return t
		}},
		{"the refusal that was replayed is the old approval's", convicted, func() *tape {
			t := newTape(kept())
			t.deliver("t", act("A"))
			t.pass(t.create(key("k")), 402)
			t.rejected("")
			t.deliver("t", act("A", reapproved))
			t.pass(t.create(key("k")), 402, replayed)
			t.rejected("")
			return t
		}},
		{"approved again, and who has the older approval is refused since: told to who has the newer", cleared, func() *tape {
			t := newTape(kept(), lost1)
			t.deliver("t", act("A"))
			t.lose(t.create(key("k")), lost1)
			t.die()
			t.deliver("t", act("A", reapproved))
			t.die()
			t.at(2, 1, 3)
			t.deliverAs("t", act("A"))
			t.pass(t.create(key("k")), 402)
			t.rejected("")
			t.at(1, 3, 4)
			t.deliverAs("t", act("A", reapproved))
			t.rejected("")
			return t
		}},
		{"refused under the newer approval, and told to who has the older", cleared, func() *tape {
			t := newTape(kept())
			t.deliver("t", act("A"))
			t.die()
			t.at(2, 1, 2)
			t.deliverAs("t", act("A", reapproved))
			t.pass(t.create(key("k")), 402)
			t.rejected("")
			t.at(1, 2, 3)
			t.deliverAs("t", act("A"))
			t.rejected("")
			return t
		}},
		{"refused before it was approved again, and another one since: told to who heard the first", cleared, func() *tape {
			t := newTape(kept())
			t.deliver("t", act("A"))
			t.pass(t.create(key("k")), 402)
			t.rejected("")
			t.at(1, 1, 2)
			t.deliverAs("t", act("A", reapproved))
			t.at(2, 1, 3)
			t.deliverAs("t", act("A"))
			t.pass(t.create(key("k2")), 402)
			t.rejected("")
			t.at(1, 1, 4)
			t.deliverAs("t", act("A", reapproved))
			t.rejected("")
			return t
		}},
		{"refused before it was approved again, and told to who has the newer approval", convicted, func() *tape {
			t := newTape(kept())
			t.deliver("t", act("A"))
			t.pass(t.create(key("k")), 402)
			t.rejected("")
			t.at(2, 1, 2)
			t.deliverAs("t", act("A", reapproved))
			t.rejected("")
			return t
		}},
		{"refused under another ID that was minted, and nothing was asked for", convicted, func() *tape {
			t := newTape(kept())
			t.deliver("t", act("A"))
			t.rejected("")
			t.deliver("t", act("A'", twin))
			t.rejected("")
			return t
		}},
		{"the refusal of what was minted again is told for the first ID", cleared, func() *tape {
			t := newTape(kept())
			t.deliver("t", act("A"))
			t.die()
			t.deliver("t", act("A'", twin))
			t.pass(t.create(key("k")), 422)
			t.rejected("")
			t.deliver("t", act("A"))
			t.rejected("")
			return t
		}},
		{"the stored refusal is told for the ID that was minted again", cleared, func() *tape {
			t := newTape(kept())
			t.deliver("t", act("A"))
			t.pass(t.create(key("k")), 422)
			t.rejected("")
			t.deliver("t", act("A'", twin))
			t.rejected("")
			return t
		}},
		{"the refusal that nobody heard is replayed to the ID that was minted again", cleared, func() *tape {
			t := newTape(kept(), lost1)
			t.deliver("t", act("A"))
			n := t.create(key("k"))
			t.answer(harness.EvAnswer, n, 422)
			t.lose(n, lost1)
			t.die()
			t.deliver("t", act("A'", twin))
			t.pass(t.create(key("k")), 422, replayed)
			t.rejected("")
			return t
		}},
		{"a refusal of its own, and it was approved again", convicted, func() *tape {
			t := newTape(kept())
			t.deliver("t", act("A"))
			t.die()
			t.deliver("t", act("A'", twin))
			t.pass(t.create(key("k")), 422)
			t.die()
			t.deliver("t", act("A'", twin, reapproved))
			t.pass(t.create(key("k")), 422, replayed)
			t.rejected("")
			return t
		}},
		{"refused under a newer approval, and told to who has the older one", cleared, func() *tape {
			t := newTape(kept())
			t.deliver("t", act("A"))
			t.die()
			t.deliver("t", act("A", reapproved))
			t.pass(t.create(key("k")), 422)
			t.rejected("")
			t.at(2, 1, 3)
			t.deliverAs("t", act("A"))
			t.rejected("")
			return t
		}},
		{"refused to who has the older approval, and told to who has the newer one", cleared, func() *tape {
			return refusedToTheOlder(402)
		}},
		{"refused to who had the older approval before there was a newer one", convicted, func() *tape {
			return refusedToTheOlder(402, replayed)
		}},
		{"a part is missing", convicted, func() *tape {
			p := kept()
			p.Parts = []string{"payment", "goods"}
			t := newTape(p)
			t.deliver("t", act("A"))
			n := t.create(op("pay"))
			t.effect(n, "r1", func(e *harness.Effect) { e.Part = "payment" })
			t.done("r1")
			return t
		}},
		{"done, and the effect came late", cleared, func() *tape {
			t := newTape(kept())
			t.deliver("t", act("A"))
			n := t.create()
			t.done("r1")
			t.effect(n, "r1")
			return t
		}},
		{"refused for good", cleared, func() *tape {
			t := newTape(kept())
			t.deliver("t", act("A"))
			t.pass(t.create(key("k")), 422)
			t.rejected("rejected_permanent")
			return t
		}},
		{"no approval", cleared, func() *tape {
			t := newTape(kept())
			t.deliver("t", act("A", denied))
			t.rejected(harness.ApprovalMissing)
			return t
		}},
		{"changed arguments after a lost request", cleared, func() *tape {
			t := newTape(kept(), "create#1 request reset")
			t.deliver("t", act("A"))
			t.lose(t.create(key("k")), "create#1 request reset")
			t.die()
			t.deliver("t", act("A", changed))
			t.rejected(harness.ArgumentsChanged)
			return t
		}},
		{"the limit is spent", cleared, func() *tape {
			t := newTape(kept(), "create#1.. request status 504")
			t.deliver("t", act("A"))
			for range 5 {
				t.stand(t.create(key("k")), 504)
			}
			t.rejected("")
			return t
		}},
		{"the worker says that its own limit is spent", cleared, func() *tape {
			t := newTape(kept(), "create#1.. request status 504")
			t.deliver("t", act("A"))
			t.stand(t.create(key("k")), 504)
			t.stand(t.create(key("k")), 504)
			t.rejected(harness.AttemptsSpent)
			return t
		}},
		{"it says so of what its record tells of, and what was on its way is gone", cleared, func() *tape {
			t := recording()
			t.records("sent", 1, recordWritten)
			t.die()
			t.deliver("t", act("A"))
			t.records("rejected", 1, recordWritten)
			t.rejected(harness.AttemptsSpent)
			return t
		}},
		{"it says so, and no record tells of an attempt", convicted, func() *tape {
			t := recording()
			t.records("rejected", 0, recordWritten)
			t.rejected(harness.AttemptsSpent)
			return t
		}},
		{"what a failed delivery said does not count", unchecked, func() *tape {
			t := newTape(kept())
			t.deliver("t", act("A"))
			t.create()
			t.says(harness.Report{Outcome: harness.Done})
			t.end("exit 75", "failed: exit 75")
			return t
		}},
	})
}

// refusedAndForgotten: an answer is reported as a refusal, the store does with its record
// what note says, and the next life does it.
func refusedAndForgotten(note string, status int) *tape {
	t := newTape(kept())
	t.deliver("t", act("A"))
	t.pass(t.create(key("k")), status)
	t.records("rejected", 1, note)
	t.rejected("rejected_permanent")
	t.deliver("t", act("A"))
	t.does("r1", key("k2"))
	t.done("r1")
	return t
}

// refusedToTheOlder: it was refused and approved again, who has the newer approval died, and
// who has the older one gets a refusal; a worker that has the newer one tells of that.
func refusedToTheOlder(status int, o ...opt) *tape {
	t := newTape(kept())
	t.deliver("t", act("A"))
	t.pass(t.create(key("k")), status)
	t.rejected("")
	t.deliver("t", act("A", reapproved))
	t.die()
	newer := t.held
	t.at(2, 1, 3)
	t.deliverAs("t", act("A"))
	under := "k2"
	if len(o) > 0 {
		under = "k"
	}
	t.pass(t.create(key(under)), status, o...)
	t.rejected("")
	t.at(1, 3, 4)
	t.deliverAs("t", newer...)
	t.rejected("")
	return t
}

// twoConsents: one worker has a newer approval, another one the one that was refused and
// says so, before the first one asks or after it did.
func twoConsents(asked bool) func() *tape {
	return func() *tape {
		t := newTape(kept())
		t.deliver("t", act("A"))
		t.pass(t.create(key("k")), 402)
		t.rejected("")
		t.deliver("t", act("A", reapproved))
		one, newer := *t, t.held
		old := func() {
			t.at(2, 1, 3)
			t.deliverAs("t", act("A"))
			t.rejected("")
			t.worker, t.life, t.delivery, t.held = one.worker, one.life, one.delivery, newer
		}
		if !asked {
			old()
		}
		n := t.create(key("k2"))
		if asked {
			old()
		}
		t.effect(n, "r1")
		t.pass(n, 201, res("r1"))
		t.done("r1")
		return t
	}
}

func TestTrueReport(t *testing.T) {
	try(t, "true-report", []one{
		{"rejected after the commit", convicted, func() *tape {
			t := newTape(kept(), reset)
			t.deliver("t", act("A"))
			n := t.create(key("k"))
			t.effect(n, "r1")
			t.lose(n, reset)
			t.rejected("")
			return t
		}},
		{"rejected, and the effect lands later", convicted, func() *tape {
			t := newTape(kept())
			t.deliver("t", act("A"))
			n := t.create(key("k"))
			t.rejected("")
			t.effect(n, "r1")
			return t
		}},
		{"another ID", convicted, func() *tape {
			t := newTape(kept())
			t.deliver("t", act("A"))
			t.does("r1", key("k"))
			t.done("r2")
			return t
		}},
		{"a refusal of changed arguments is no lie", cleared, func() *tape {
			t := newTape(kept())
			t.deliver("t", act("A"))
			t.does("r1", key("k"))
			t.done("r1")
			t.deliver("t", act("A", changed))
			t.rejected(harness.ArgumentsChanged)
			return t
		}},
		{"a later consent is refused, what was done stays done", cleared, func() *tape {
			t := newTape(kept())
			t.deliver("t", act("A"))
			t.does("r1", key("k"))
			t.done("r1")
			t.deliver("t", act("A", denied))
			t.rejected(harness.ApprovalMissing)
			return t
		}},
		{"refused, approved again, and then done", cleared, func() *tape {
			t := newTape(kept())
			t.deliver("t", act("A"))
			t.pass(t.create(key("k")), 402)
			t.rejected("")
			t.deliver("t", act("A", reapproved))
			t.does("r1", key("k2"))
			t.done("r1")
			return t
		}},
		{"refused, the record of it lost, and done by a life that could not know", cleared, func() *tape {
			return refusedAndForgotten(recordLost, 422)
		}},
		{"refused, recorded, and done by the next life", convicted, func() *tape { return refusedAndForgotten(recordWritten, 422) }},
		{"no answer, the record of it lost, and done by the next life", convicted, func() *tape { return refusedAndForgotten(recordLost, 500) }},
		{"rejected under the approval under which it was done", convicted, func() *tape {
			t := newTape(kept())
			t.deliver("t", act("A"))
			t.pass(t.create(key("k")), 402)
			t.rejected("")
			t.deliver("t", act("A", reapproved))
			t.does("r1", key("k2"))
			t.rejected("")
			return t
		}},
		{"approved again, and done by who has the older approval", cleared, func() *tape {
			t := newTape(kept())
			t.deliver("t", act("A"))
			t.pass(t.create(key("k")), 402)
			t.rejected("")
			t.deliver("t", act("A", reapproved))
			t.create(key("k2"))
			t.die()
			t.deliver("t", act("A"))
			t.does("r1", key("k2"))
			t.done("r1")
			return t
		}},
		{"approved again, and told of the refusal before it is asked anew", cleared, twoConsents(false)},
		{"approved again, and told of the refusal while it is asked anew", convicted, twoConsents(true)},
		{"rejected and nothing was done", cleared, func() *tape {
			t := newTape(kept())
			t.deliver("t", act("A"))
			t.pass(t.create(key("k")), 422)
			t.rejected("")
			return t
		}},
		{"done without an effect is no-lost-effect's", unchecked, func() *tape {
			t := newTape(kept())
			t.deliver("t", act("A"))
			t.done("r1")
			return t
		}},
	})
}

func TestSameResult(t *testing.T) {
	twice := func(first, second string, a harness.DeliveredAction) func() *tape {
		return func() *tape {
			t := newTape(kept())
			t.deliver("t", act("A"))
			t.does("r1", key("k"))
			t.done(first)
			t.deliver("t", a)
			t.done(second)
			return t
		}
	}
	try(t, "same-result", []one{
		{"two resources", convicted, twice("r1", "r2", act("A"))},
		{"one names none", convicted, twice("r1", "", act("A"))},
		{"the twin is told of another", convicted, twice("r1", "r2", act("A'", twin))},
		{"one resource", cleared, twice("r1", "r1", act("A"))},
		{"one resource for action and twin", cleared, twice("r1", "r1", act("A'", twin))},
		{"two actions have a resource each", unchecked, twice("r1", "r2", act("B"))},
	})
}

func TestArgumentsBound(t *testing.T) {
	try(t, "arguments-bound", []one{
		{"changed arguments had an effect", convicted, func() *tape {
			t := newTape(kept(), reset)
			t.deliver("t", act("A"))
			t.lose(t.create(key("k")), reset)
			t.die()
			t.deliver("t", act("A", changed))
			t.does("r1", key("k"), args("w2"))
			t.rejected("")
			return t
		}},
		{"changed arguments reported as done", convicted, func() *tape {
			t := newTape(kept())
			t.deliver("t", act("A"))
			t.does("r1", key("k"))
			t.done("r1")
			t.deliver("t", act("A", changed))
			t.done("r1")
			return t
		}},
		{"changed arguments refused, and a recovery tells of those that were approved", cleared, func() *tape {
			t := newTape(kept())
			t.deliver("t", act("A"))
			t.effect(t.create(key("k")), "r1")
			t.die()
			a := act("A")
			t.deliver("t", act("A", changed))
			t.rejected("")
			t.deliver("")
			t.pass(t.find(of("A")), 200, found(obj("r1", "id-A")))
			t.add(harness.Event{Kind: harness.EvReport, Action: "A", Report: &harness.Report{ActionID: a.ID, Outcome: harness.Done, Resource: "r1"}})
			t.end("exit 0", "")
			return t
		}},
		{"a recovery tells of arguments that never were approved", convicted, func() *tape {
			t := newTape(kept())
			t.deliver("t", act("A", denied))
			t.rejected("")
			t.deliver("t", act("A", changed))
			t.rejected("")
			t.deliver("")
			t.add(harness.Event{Kind: harness.EvReport, Action: "A", Report: &harness.Report{ActionID: "id-A", Outcome: harness.Done, Resource: "r1"}})
			t.end("exit 0", "")
			return t
		}},
		{"changed arguments refused", cleared, func() *tape {
			t := newTape(kept())
			t.deliver("t", act("A"))
			t.does("r1", key("k"))
			t.done("r1")
			t.deliver("t", act("A", changed))
			t.rejected("")
			return t
		}},
		{"other arguments under a new approval", cleared, func() *tape {
			t := newTape(kept())
			t.deliver("t", act("A"))
			t.pass(t.create(key("k")), 402)
			t.rejected("")
			t.deliver("t", act("A", changed, func(a *harness.DeliveredAction) { a.Approval.ArgumentsSHA256, a.Covered = a.Digest, true }))
			t.does("r1", key("k2"), args("w2"))
			t.done("r1")
			return t
		}},
		{"an invalid approval of the same arguments is approval-bound's", cleared, func() *tape {
			t := newTape(kept())
			t.deliver("t", act("A", denied))
			t.does("r1", key("k"))
			t.done("r1")
			return t
		}},
		{"no effect and no report", unchecked, func() *tape {
			t := newTape(kept())
			t.deliver("t", act("A"))
			return t
		}},
	})
}

func TestApprovalBound(t *testing.T) {
	acts := func(sets ...set) func() *tape {
		return func() *tape {
			t := newTape(kept())
			t.deliver("t", act("A", sets...))
			t.does("r1", key("k"))
			t.done("r1")
			return t
		}
	}
	try(t, "approval-bound", []one{
		{"denied", convicted, acts(denied)},
		{"stale", convicted, acts(func(a *harness.DeliveredAction) { a.Approval.PolicyVersion, a.Covered = "0", false })},
		{"of another action", convicted, acts(func(a *harness.DeliveredAction) { a.Approval.ID, a.Covered = "ap-B", false })},
		{"none, which names no arguments", convicted, func() *tape {
			t := newTape(kept())
			t.Schedule.Actions = []harness.Action{{Name: "A", ID: "id-A", Approval: harness.Approval{ArgumentsSHA256: "sha256:d"}}}
			t.deliver("t", act("A", func(a *harness.DeliveredAction) {
				a.Approval, a.Covered = harness.Approval{Status: harness.NoGrant}, false
			}))
			t.does("r1", key("k"))
			t.done("r1")
			return t
		}},
		{"granted", cleared, acts()},
		{"the old effect of approved arguments, finished under a hand-over that changed them", cleared, func() *tape {
			t := newTape(kept(), "create#1 request reset")
			t.deliver("t", act("A"))
			t.lose(t.create(key("k")), "create#1 request reset")
			t.die()
			t.deliver("t", act("A", changed))
			t.does("r1", key("k"))
			t.rejected("")
			return t
		}},
		{"unapproved arguments are arguments-bound's", cleared, func() *tape {
			t := newTape(kept())
			t.deliver("t", act("A"))
			t.deliver("t", act("A", changed))
			t.does("r1", key("k"), args("w2"))
			return t
		}},
		{"no effect", unchecked, func() *tape {
			t := newTape(kept())
			t.deliver("t", act("A", denied))
			t.rejected("")
			return t
		}},
	})
}

func TestDistinctIntents(t *testing.T) {
	both := func(resource string, does bool) func() *tape {
		return func() *tape {
			t := newTape(kept())
			t.deliver("t", act("A"))
			t.does("r1", key("k"))
			t.done("r1")
			t.deliver("u", act("B"))
			if does {
				t.does("r2", key("k2"))
			}
			t.done(resource)
			return t
		}
	}
	try(t, "distinct-intents", []one{
		{"B is done by A's effect", convicted, both("r1", false)},
		{"B is done by nothing, and A did the same", convicted, both("", false)},
		{"B is done, and named by A's", convicted, both("r1", true)},
		{"B was asked for, and its silence is taken for success", cleared, func() *tape {
			t := newTape(kept(), "create#2 request close")
			t.deliver("t", act("A"))
			t.does("r1", key("k"))
			t.done("r1")
			t.deliver("u", act("B"))
			t.lose(t.create(key("k2")), "create#2 request close")
			t.done("")
			return t
		}},
		{"a record of B is taken for its effect", cleared, func() *tape {
			t := newTape(kept())
			t.deliver("t", act("A"))
			t.does("r1", key("k"))
			t.done("r1")
			t.deliver("u", act("B"))
			t.records("approved", 0, recordWritten)
			t.die()
			t.deliver("u", act("B"))
			t.done("")
			return t
		}},
		{"B is done before A is", cleared, func() *tape {
			t := newTape(kept())
			t.deliver("u", act("B"))
			t.done("")
			t.deliver("t", act("A"))
			t.does("r1", key("k"))
			t.done("r1")
			return t
		}},
		{"each its own", cleared, both("r2", true)},
		{"both changed one record", cleared, func() *tape {
			t := newTape(kept())
			t.deliver("t", act("A"))
			t.does("r1", key("k"))
			t.done("r1")
			t.deliver("u", act("B"))
			t.does("r1", key("k2"))
			t.done("r1")
			return t
		}},
		{"a twin is no other intent", unchecked, func() *tape {
			t := newTape(kept())
			t.deliver("t", act("A"))
			t.does("r1", key("k"))
			t.done("r1")
			t.deliver("t", act("A'", twin))
			t.done("r1")
			return t
		}},
	})
}

func TestOneActionPerTrigger(t *testing.T) {
	try(t, "one-action-per-trigger", []one{
		{"both twins had an effect", convicted, func() *tape {
			t := newTape(kept())
			t.deliver("t", act("A"))
			t.does("r1", key("k"))
			t.done("r1")
			t.deliver("t", act("A'", twin))
			t.does("r2", key("k2"))
			t.done("r2")
			return t
		}},
		{"the second one goes on under the first one's next key", cleared, func() *tape {
			t := newTape(kept())
			t.deliver("t", act("A"))
			t.pass(t.create(key("id-A")), 422)
			t.rejected("")
			t.deliver("t", act("A", reapproved))
			t.create(key("id-A:g2"))
			t.die()
			t.deliver("t", act("A'", twin))
			t.does("r1", key("id-A:g2"))
			t.done("r1")
			return t
		}},
		{"both were asked for, each under a key of its own", convicted, func() *tape {
			t := newTape(kept())
			t.deliver("t", act("A"))
			t.does("r1", key("k"))
			t.done("r1")
			t.deliver("t", act("A'", twin))
			t.pass(t.create(key("k2")), 422)
			t.rejected("")
			return t
		}},
		{"the twin gets the first one's result", cleared, func() *tape {
			t := newTape(kept())
			t.deliver("t", act("A"))
			t.does("r1", key("k"))
			t.done("r1")
			t.deliver("t", act("A'", twin))
			t.done("r1")
			return t
		}},
		{"a key made of the trigger is one for both", cleared, func() *tape {
			t := newTape(kept())
			t.deliver("t", act("A"))
			t.does("r1", key("t"))
			t.done("r1")
			t.deliver("t", act("A'", twin))
			t.pass(t.create(key("t")), 201, replayed, res("r1"))
			t.done("r1")
			return t
		}},
		{"one hand-over brought both", unchecked, func() *tape {
			t := newTape(kept())
			t.deliver("t", act("A"), act("B"))
			t.does("r1", key("k"), of("A"))
			t.does("r2", key("k2"), of("B"))
			return t
		}},
		{"two triggers", unchecked, func() *tape {
			t := newTape(kept())
			t.deliver("t", act("A"))
			t.does("r1", key("k"))
			t.done("r1")
			t.deliver("u", act("B"))
			t.does("r2", key("k2"))
			t.done("r2")
			return t
		}},
	})
}

func TestNoSecret(t *testing.T) {
	try(t, "no-secret", []one{
		{"in a log line", convicted, func() *tape {
			t := newTape(kept())
			t.add(harness.Event{Kind: harness.EvLog, Note: "token <secret>"})
			t.add(harness.Event{Kind: harness.EvLeak, Note: "a log line"})
			return t
		}},
		{"in the state directory", convicted, func() *tape {
			t := newTape(kept())
			t.add(harness.Event{Kind: harness.EvLeak, Note: "a receipt"})
			t.add(harness.Event{Kind: harness.EvState, N: 3})
			return t
		}},
		{"nowhere", cleared, func() *tape {
			t := newTape(kept())
			t.add(harness.Event{Kind: harness.EvLog, Note: "hello"})
			t.add(harness.Event{Kind: harness.EvState, N: 3})
			return t
		}},
		{"nothing was said", unchecked, func() *tape { return newTape(kept()) }},
	})
}
