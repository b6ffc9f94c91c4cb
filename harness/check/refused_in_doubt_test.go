package check

import (
	"testing"

	"github.com/retrydrill/drill/harness"
)

// keyed promises a kept key and nothing to look up by; what it keeps is success alone,
// or refusals too.
func keyed(refusals bool) harness.Promises {
	p := kept()
	p.Lookup, p.Key.StoresErrors = harness.FindPromise{}, refusals
	return p
}

// recordedAgain is a refusal, a newer approval, and a life that dies between the record of
// its request and the request.
func recordedAgain(p harness.Promises) *tape {
	t := newTape(p)
	t.deliver("t", act("A"))
	t.records("sent", 1, recordWritten)
	t.pass(t.create(key("k")), 402)
	t.heard("whole answer", 1)
	t.records("rejected", 1, recordWritten)
	t.rejected("rejected_permanent")
	t.deliver("t", act("A", reapproved))
	t.records("sent", 2, recordWritten)
	t.die()
	t.deliver("t", act("A", reapproved))
	t.review()
	return t
}

// refusedInDoubt is a first attempt of which nothing arrives, and a repeat that is
// refused for good.
func refusedInDoubt(p harness.Promises, line string, o ...opt) *tape {
	t := newTape(p, line)
	t.deliver("t", act("A"))
	t.lose(t.create(key("k")), line)
	t.pass(t.create(key("k")), 402, o...)
	return t
}

const close1 = "create#1 request close"

// A refusal that the target keeps under the key is its answer to the attempt before as
// well. One that it does not keep leaves that in doubt: a request that is still on its
// way would be let in.
func TestSettlesRefusedInDoubt(t *testing.T) {
	review := func(t *tape) *tape { t.review(); return t }
	unkept := keyed(true)
	unkept.Key.Unkept = []int{402}
	try(t, "settles", []one{
		{"kept under the key", convicted, func() *tape { return review(refusedInDoubt(keyed(true), close1)) }},
		{"not kept", cleared, func() *tape { return review(refusedInDoubt(keyed(false), close1)) }},
		{"not kept, though others are", cleared, func() *tape { return review(refusedInDoubt(unkept, close1)) }},
		{"not kept, and replayed all the same", convicted, func() *tape { return review(refusedInDoubt(keyed(false), close1, replayed)) }},
		{"not kept, and a look-up would tell", convicted, func() *tape {
			p := kept()
			p.Key.StoresErrors = false
			return review(refusedInDoubt(p, close1))
		}},
		{"the only attempt", convicted, func() *tape {
			t := newTape(keyed(false))
			t.deliver("t", act("A"))
			t.pass(t.create(key("k")), 402)
			t.review()
			return t
		}},
		{"after a refusal for now", convicted, func() *tape {
			t := newTape(keyed(false))
			t.deliver("t", act("A"))
			t.pass(t.create(key("k")), 429)
			t.pass(t.create(key("k")), 402)
			t.review()
			return t
		}},
		{"the record tells of an attempt that never arrived", cleared, func() *tape {
			t := newTape(keyed(false))
			t.deliver("t", act("A"))
			t.records("sent", 2, recordWritten)
			t.pass(t.create(key("k")), 402)
			t.records("needs_review", 2, recordWritten)
			t.review()
			return t
		}},
		{"approved again, and recorded as sent once more", cleared, func() *tape { return recordedAgain(keyed(false)) }},
		{"approved again, and recorded as sent once more, where the key keeps refusals", cleared, func() *tape { return recordedAgain(keyed(true)) }},
		{"after a refusal that died with who heard it", cleared, func() *tape {
			t := newTape(keyed(false))
			t.deliver("t", act("A"))
			t.records("sent", 1, recordWritten)
			t.pass(t.create(key("k")), 402)
			t.heard("whole answer", 1)
			t.die()
			t.deliver("t", act("A"))
			t.records("sent", 2, recordWritten)
			t.pass(t.create(key("k")), 402)
			t.heard("whole answer", 1)
			t.records("needs_review", 2, recordWritten)
			t.review()
			return t
		}},
		{"the transport sent the call again", convicted, func() *tape {
			t := newTape(keyed(false), reset)
			t.deliver("t", act("A"))
			t.lose(t.create(key("k"), on(1, true)), reset)
			t.pass(t.create(key("k"), on(2, false)), 402)
			t.heard("whole answer", 2)
			t.review()
			return t
		}},
		{"not refused at all: a repeat would tell", convicted, func() *tape {
			t := newTape(keyed(false), close1)
			t.deliver("t", act("A"))
			t.lose(t.create(key("k")), close1)
			t.review()
			return t
		}},
	})
}

func TestEscalatesRefusedInDoubt(t *testing.T) {
	rejected := func(p harness.Promises) func() *tape {
		return func() *tape {
			t := refusedInDoubt(p, close1)
			t.rejected("rejected_permanent")
			return t
		}
	}
	try(t, "escalates", []one{
		{"kept under the key", unchecked, rejected(keyed(true))},
		{"not kept", convicted, rejected(keyed(false))},
		{"not kept, and left for review", cleared, func() *tape {
			t := refusedInDoubt(keyed(false), close1)
			t.review()
			return t
		}},
		{"a repeat of what was confirmed", unchecked, func() *tape {
			t := newTape(keyed(true), reset)
			t.deliver("t", act("A"))
			n := t.create(key("k"))
			t.effect(n, "r1")
			t.lose(n, reset)
			t.pass(t.create(key("k")), 201, replayed, res("r1"))
			t.create(key("k"))
			t.done("r1")
			return t
		}},
		{"the same under another key", convicted, func() *tape {
			t := newTape(keyed(true), reset)
			t.deliver("t", act("A"))
			t.does("r1", key("k"))
			t.create(key("k2"))
			t.done("r1")
			return t
		}},
		{"told under the ID that was minted again", unchecked, func() *tape {
			t := newTape(keyed(true), reset)
			t.deliver("t", act("A"))
			n := t.create(key("k"))
			t.effect(n, "r1")
			t.lose(n, reset)
			t.deliver("t", act("A'", twin))
			t.pass(t.create(key("k")), 201, replayed, res("r1"))
			t.done("r1")
			t.deliver("t", act("A"))
			t.done("r1")
			return t
		}},
		{"the ID that was minted again had a key of its own", convicted, func() *tape {
			t := newTape(keyed(true), reset)
			t.deliver("t", act("A"))
			t.lose(t.create(key("k")), reset)
			t.deliver("t", act("A'", twin))
			t.does("r1", key("k2"))
			t.done("r1")
			t.deliver("t", act("A"))
			t.done("r1")
			return t
		}},
	})
}

// handedOver: one worker hears that it is done and stands still, another one asks a person
// meanwhile, or after that was recorded.
func handedOver(meanwhile bool) *tape {
	t := newTape(blind())
	t.deliver("t", act("A"))
	t.records("sent", 1, recordWritten)
	t.does("r1")
	t.heard("whole answer", 1)
	record := func() {
		t.at(1, 1, 1)
		t.records("confirmed", 1, recordWritten)
	}
	if !meanwhile {
		record()
	}
	t.at(2, 1, 2)
	t.deliverAs("t", act("A"))
	t.records("needs_review", 1, recordWritten)
	t.review()
	if meanwhile {
		record()
	}
	return t
}

// What died with the worker that heard it, or what its store refused, nobody knows.
func TestSettlesOnlyWhatSomebodyKnows(t *testing.T) {
	heard := func(after func(*tape)) func() *tape {
		return func() *tape {
			t := newTape(blind())
			t.deliver("t", act("A"))
			t.records("sent", 1, recordWritten)
			t.does("r1")
			t.heard("whole answer", 1)
			after(t)
			t.deliver("t", act("A"))
			t.records("needs_review", 1, recordWritten)
			t.review()
			return t
		}
	}
	records := func(note string) func(*tape) {
		return func(t *tape) {
			t.records("confirmed", 1, note)
			t.end("error", "failed: error")
		}
	}
	try(t, "settles", []one{
		{"recorded, and then left for review", convicted, heard(records(recordWritten))},
		{"its record was refused", cleared, heard(records("conflicted"))},
		{"its record failed", cleared, heard(records("failed"))},
		{"its record was lost", cleared, heard(records(recordLost))},
		{"it was heard under another ID, and its record was refused", cleared, func() *tape {
			t := newTape(blind())
			t.deliver("t", act("A'", twin))
			t.records("sent", 1, recordWritten)
			t.does("r1")
			t.heard("whole answer", 1)
			t.held = []harness.DeliveredAction{act("A")}
			t.records("confirmed", 1, "conflicted")
			t.end("error", "failed: error")
			t.deliver("t", act("A"))
			t.records("needs_review", 1, recordWritten)
			t.review()
			return t
		}},
		{"recorded once it had been handed to a person", cleared, func() *tape { return handedOver(true) }},
		{"recorded before it was handed to a person", convicted, func() *tape { return handedOver(false) }},
		{"killed before its record", cleared, heard((*tape).die)},
		{"it ended by itself and recorded nothing", convicted, heard(func(t *tape) { t.end("error", "failed: error") })},
		{"without records: killed before it went on", cleared, func() *tape {
			t := newTape(blind())
			t.deliver("t", act("A"))
			t.does("r1")
			t.heard("whole answer", 1)
			t.die()
			t.deliver("t", act("A"))
			t.review()
			return t
		}},
		{"without records: killed after it reported", convicted, func() *tape {
			t := newTape(blind())
			t.deliver("t", act("A"))
			t.does("r1")
			t.says(harness.Report{Outcome: harness.Done, Resource: "r1"})
			t.die()
			t.deliver("t", act("A"))
			t.review()
			return t
		}},
	})
}

// What was handed to a person before there was anything to find is the person's.
func TestSettlesAReviewBeforeTheEffect(t *testing.T) {
	late := func(p harness.Promises, before bool) func() *tape {
		return func() *tape {
			t := newTape(p)
			t.deliver("t", act("A"))
			n := t.create()
			if before {
				t.effect(n, "r1")
			}
			t.at(2, 1, 2)
			t.deliverAs("t", act("A"))
			t.Events[len(t.Events)-1].Deliver.How = []string{"deliver#2 elsewhere"}
			t.pass(t.find(), 200)
			t.review()
			if !before {
				t.effect(n, "r1")
			}
			t.at(1, 1, 1)
			t.pass(n, 201, res("r1"))
			t.heard("whole answer", 1)
			t.done("r1")
			t.at(2, 1, 3)
			t.deliverAs("t", act("A"))
			t.review()
			return t
		}
	}
	p := kept()
	p.Key = harness.KeyPromise{}
	unsure := p
	unsure.Lookup.Authoritative = false
	try(t, "settles", []one{
		{"found nothing, which proves nothing", cleared, late(unsure, false)},
		{"found nothing, which proves absence", convicted, late(p, false)},
		{"it was there", convicted, late(unsure, true)},
	})
}

// Once the target has shown that it keeps a failure which tells nothing, no repeat under the
// key would tell, whatever became of the last request.
func TestSettlesBehindAStoredFailure(t *testing.T) {
	storing := kept()
	storing.Lookup = harness.FindPromise{}
	forgetting := storing
	forgetting.Key.StoresErrors = false
	lastLost := func(p harness.Promises, first func(*tape)) func() *tape {
		return func() *tape {
			t := newTape(p, "create#2 request close")
			t.deliver("t", act("A"))
			first(t)
			t.lose(t.create(key("k")), "create#2 request close")
			t.review()
			return t
		}
	}
	failed := func(k string) func(*tape) { return func(t *tape) { t.pass(t.create(key(k)), 500) } }
	try(t, "settles", []one{
		{"the first one was answered by a failure that is kept", cleared, lastLost(storing, failed("k"))},
		{"by one under another key", convicted, lastLost(storing, failed("other"))},
		{"by one that is not kept", convicted, lastLost(forgetting, failed("k"))},
		{"by nothing", convicted, lastLost(storing, func(t *tape) { t.lose(t.create(key("k")), "create#1 request close") })},
	})
}

func TestSettlesWhatCanNotBeTakenBack(t *testing.T) {
	halfDone := func(undo func(*tape), faults ...string) func() *tape {
		return func() *tape {
			t := parts(faults...)
			t.pays("p1", "A:pay")
			t.refusesGoods()
			undo(t)
			t.review()
			return t
		}
	}
	try(t, "settles", []one{
		{"the undo is refused for good", cleared, halfDone(func(t *tape) { t.pass(t.send("cancel", true, key("A:cancel")), 402) })},
		{"nothing was taken back", convicted, halfDone(func(*tape) {})},
		{"the undo never arrives", cleared, halfDone(func(t *tape) {
			t.lose(t.send("cancel", true, key("A:cancel")), "cancel#1.. request close")
		}, "cancel#1.. request close")},
		{"the first undo does not arrive", convicted, halfDone(func(t *tape) {
			t.lose(t.send("cancel", true, key("A:cancel")), "cancel#1 request close")
		}, "cancel#1 request close")},
		{"no undo arrives that the limit allows", cleared, halfDone(func(t *tape) {
			t.Schedule.Limits.MaxAttempts = 1
			n := t.send("cancel", true, key("A:cancel"))
			t.answer(harness.EvLost, n, 0)
			t.add(harness.Event{Kind: harness.EvFault, Fault: "cancel#1 request close", Attempt: n})
		}, "cancel#1 request close")},
		{"it was taken back", convicted, halfDone(func(t *tape) { t.pass(t.cancels("p1"), 200) })},
	})
}

// Who starts without the records of before counts anew.
func TestBoundedAttemptsByMemory(t *testing.T) {
	many := func(t *tape, n int) {
		for range n {
			t.stand(t.create(key("k")), 504)
		}
	}
	second := func(how string) func() *tape {
		return func() *tape {
			t := newTape(kept())
			t.Schedule.Limits.MaxAttempts = 5
			t.deliver("t", act("A"))
			many(t, 4)
			t.deliver("t", act("A"))
			if how != "" {
				t.Events[len(t.Events)-1].Deliver.How = []string{how}
			}
			many(t, 4)
			return t
		}
	}
	lost := func(note string) func() *tape {
		return func() *tape {
			t := recording()
			t.Schedule.Limits.MaxAttempts = 5
			t.records("sent", 1, note)
			many(t, 4)
			t.die()
			t.deliver("t", act("A"))
			t.records("sent", 1, recordWritten)
			many(t, 4)
			return t
		}
	}
	try(t, "bounded-attempts", []one{
		{"the second delivery counts on", convicted, second("")},
		{"on another machine", cleared, second("deliver#2 elsewhere")},
		{"the record is there", convicted, lost(recordWritten)},
		{"the record was lost", cleared, lost(recordLost)},
	})
}

// A step that one ID left and the other made is one intent that goes on.
func TestOneActionPerTriggerWithParts(t *testing.T) {
	goesOn := func(of string) func() *tape {
		return func() *tape {
			t := parts("pay#1 response kill")
			t.pays("p1", "id-A:pay")
			t.die()
			t.deliver("t", act("A'", twin))
			t.orders("g1", of+":create")
			t.done("g1")
			return t
		}
	}
	try(t, "one-action-per-trigger", []one{
		{"under the first one's key", cleared, goesOn("id-A")},
		{"under a key of its own", convicted, goesOn("id-twin")},
		{"paid twice", convicted, func() *tape {
			t := parts("pay#1 response kill")
			t.pays("p1", "id-A:pay")
			t.die()
			t.deliver("t", act("A'", twin))
			t.pays("p2", "id-A:pay")
			return t
		}},
	})
}

// The client that would tell of a call died with it.
func TestACallThatNobodyTellsOf(t *testing.T) {
	call := func(told bool) func() *tape {
		return func() *tape {
			t := recording(reset)
			t.records("sent", 1, recordWritten)
			t.pass(t.find(on(1, false)), 200)
			t.heard("whole answer", 1)
			t.lose(t.create(key("k"), on(1, true)), reset)
			n := t.create(key("k"), on(2, false))
			if told {
				t.pass(n, 201)
				t.heard("whole answer", 1)
			}
			t.die()
			return t
		}
	}
	try(t, "record-first", []one{
		{"killed in it", cleared, call(false)},
		{"told of as two calls", convicted, call(true)},
	})
}
