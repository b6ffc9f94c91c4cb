package check

import (
	"testing"
	"time"

	"github.com/retrydrill/drill/harness"
)

func TestClassKept(t *testing.T) {
	lost := func() *tape {
		t := newTape(kept(), reset)
		t.deliver("t", act("A"))
		n := t.create(key("k"))
		t.effect(n, "r1")
		t.lose(n, reset)
		return t
	}
	answered := func(status int, says func(*tape)) func() *tape {
		return func() *tape {
			t := newTape(kept())
			t.deliver("t", act("A"))
			t.pass(t.create(key("k")), status, res("r1"))
			says(t)
			return t
		}
	}
	// beside: nothing was heard of what was sent, an ID that was minted again got a status
	// under its key, and another worker, who has the first, goes by the record of that.
	beside := func(status int, class string) func() *tape {
		return func() *tape {
			t := newTape(kept(), close1)
			t.deliver("t", act("A"))
			t.lose(t.create(key("k")), close1)
			t.die()
			t.deliver("t", act("A'", twin))
			t.pass(t.create(key("k")), status)
			t.end("error", "failed: error")
			t.at(2, 1, 3)
			t.deliverAs("t", act("A"))
			t.rejected(class)
			return t
		}
	}
	// since: one worker was refused for now, another one later with a status.
	since := func(status int, class string) func() *tape {
		return func() *tape {
			t := newTape(kept())
			t.deliver("t", act("A"))
			t.pass(t.create(key("k")), 429)
			t.end("error", "failed: error")
			t.life = 1
			t.at(2, 1, 2)
			t.deliverAs("t", act("A"))
			t.pass(t.create(key("k")), status)
			t.rejected("")
			t.at(1, 1, 3)
			t.deliverAs("t", act("A"))
			t.rejected(class)
			return t
		}
	}
	try(t, "class-kept", []one{
		{"a lost answer reported as rejected", convicted, func() *tape {
			t := lost()
			t.rejected("rejected_permanent")
			return t
		}},
		{"a lost answer reported as done", convicted, func() *tape {
			t := lost()
			t.done("r1")
			return t
		}},
		{"the next life reports the lost answer as rejected", convicted, func() *tape {
			t := lost()
			t.die()
			t.deliver("t", act("A"))
			t.rejected("")
			return t
		}},
		{"a page in HTML reported as done", convicted, func() *tape {
			t := newTape(kept(), "create#1 response html")
			t.deliver("t", act("A"))
			n := t.create(key("k"))
			t.effect(n, "r1")
			t.answer(harness.EvPassed, n, 502, func(e *harness.Event) { e.Class = harness.Unknown })
			t.done("r1")
			return t
		}},
		{"a permanent rejection reported as done", convicted, answered(422, func(t *tape) { t.done("r1") })},
		{"a confirmed effect reported as rejected", convicted, answered(201, func(t *tape) { t.rejected("") })},
		{"transient named permanent", convicted, answered(429, func(t *tape) { t.rejected("rejected_permanent") })},
		{"refused under an ID that was minted again", cleared, beside(422, "rejected_permanent")},
		{"refused under an ID that was minted again, and told as another class", convicted, beside(422, "rejected_transient")},
		{"unknown under an ID that was minted again, too", convicted, beside(500, "rejected_permanent")},
		{"told of what another worker heard since", cleared, since(422, "rejected_permanent")},
		{"told of it by another name", convicted, since(401, "never_dispatched")},
		{"permanent named transient", convicted, answered(422, func(t *tape) { t.rejected("rejected_transient") })},
		{"unknown named never dispatched", convicted, func() *tape {
			t := lost()
			t.says(harness.Report{Outcome: harness.NeedsReview, ErrorClass: "never_dispatched"})
			return t
		}},
		{"a refusal under another key does not tell of the lost one", convicted, func() *tape {
			t := lost()
			t.pass(t.create(key("k2")), 400)
			t.rejected("rejected_permanent")
			return t
		}},
		{"unknown named permanent", convicted, func() *tape {
			t := lost()
			t.says(harness.Report{Outcome: harness.NeedsReview, ErrorClass: "rejected_permanent"})
			return t
		}},
		{"a permanent rejection", cleared, answered(422, func(t *tape) { t.rejected("rejected_permanent") })},
		{"a class of the worker's own words is not compared", cleared, answered(422, func(t *tape) { t.rejected("card_declined") })},
		{"no class is named", cleared, answered(429, func(t *tape) { t.rejected("") })},
		{"confirmed", cleared, answered(201, func(t *tape) { t.done("r1") })},
		{"the same key told", cleared, func() *tape {
			t := lost()
			t.pass(t.create(key("k")), 201, replayed, res("r1"))
			t.done("r1")
			return t
		}},
		{"a look-up told", cleared, func() *tape {
			t := lost()
			t.pass(t.find(), 200, found(obj("r1", "id-A")))
			t.done("r1")
			return t
		}},
		{"a refusal of changed arguments after a lost answer", cleared, func() *tape {
			t := lost()
			t.die()
			t.deliver("t", act("A", changed))
			t.pass(t.create(key("k"), args("w2")), 400, code("key_error"))
			t.rejected("rejected_permanent")
			return t
		}},
		{"the limit is spent", cleared, func() *tape {
			t := newTape(kept(), "create#1.. request status 504")
			t.deliver("t", act("A"))
			for range 5 {
				t.stand(t.create(key("k")), 504)
			}
			t.rejected("unknown")
			return t
		}},
		{"an answer that came after the deadline may not have been heard", cleared, func() *tape {
			t := newTape(kept())
			t.deliver("t", act("A"))
			n := t.create(key("k"))
			t.wait(400 * time.Millisecond)
			t.pass(n, 422)
			t.review()
			return t
		}},
		{"another worker heard it", cleared, func() *tape {
			t := newTape(kept())
			t.deliver("t", act("A"))
			t.at(2, 1, 1)
			t.deliverAs("t", act("A"))
			n := t.create(key("k"))
			t.at(1, 1, 1)
			t.does("r1", key("k"))
			t.done("r1")
			t.at(2, 1, 1)
			t.pass(n, 409, code("in_use"))
			t.done("r1")
			return t
		}},
		{"nothing was sent", unchecked, func() *tape {
			t := newTape(kept())
			t.deliver("t", act("A"))
			t.rejected("never_dispatched")
			return t
		}},
	})
}

func TestSettles(t *testing.T) {
	ends := func(p harness.Promises, line string, does bool, end func(*tape)) func() *tape {
		return func() *tape {
			t := newTape(p, line)
			t.deliver("t", act("A"))
			n := t.create(key("k"))
			if does {
				t.effect(n, "r1")
			}
			t.lose(n, line)
			end(t)
			t.wait(time.Second)
			t.add(harness.Event{Kind: harness.EvState})
			return t
		}
	}
	review := (*tape).review
	crash := func(t *tape) {
		for range 4 {
			t.die()
			t.deliver("t", act("A"))
		}
		t.die()
	}
	noKey := kept()
	noKey.Key = harness.KeyPromise{}
	// spentOn: the one attempt that is allowed is refused for now, or loses its answer.
	spentOn := func(does, struck bool) func() *tape {
		return func() *tape {
			t := newTape(noKey, "create#2 target reject 429")
			t.Schedule.Limits.MaxAttempts = 1
			t.deliver("t", act("A"))
			n := t.create()
			if does {
				t.effect(n, "r1")
				t.lose(n, reset)
			} else {
				t.pass(n, 429)
				if struck {
					t.add(harness.Event{Kind: harness.EvFault, Attempt: n, Fault: "create#2 target reject 429"})
				}
			}
			t.review()
			t.wait(time.Second)
			t.add(harness.Event{Kind: harness.EvState})
			return t
		}
	}
	// minted: what an ID minted beside the first one found under its key.
	minted := func(failed bool) func() *tape {
		return func() *tape {
			p := kept()
			p.Lookup = harness.FindPromise{}
			t := newTape(p, reset)
			t.deliver("t", act("A"))
			n := t.create(key("k"))
			t.effect(n, "r1")
			t.lose(n, reset)
			t.die()
			t.deliver("t", act("A'", twin))
			if n = t.create(key("k")); failed {
				t.pass(n, 500)
			}
			t.review()
			return t
		}
	}
	// recorded: the record tells of so many requests, and none came, or all but one.
	recorded := func(n int, retention time.Duration, sent int) func() *tape {
		return func() *tape {
			p := keyed(true)
			p.Key.Retention = harness.Duration(retention)
			t := newTape(p, "record#1 kill-after", reset)
			t.deliver("t", act("A"))
			for range sent {
				m := t.create(key("k"))
				t.answer(harness.EvLost, m, 0)
			}
			t.records("sent", n, recordWritten)
			t.die()
			t.wait(time.Second)
			t.deliver("t", act("A"))
			t.review()
			return t
		}
	}
	try(t, "settles", []one{
		{"recorded as sent, nothing arrived, and the key is kept", convicted, recorded(1, time.Hour, 0)},
		{"recorded as sent, nothing arrived, and the key may be forgotten by now", cleared, recorded(1, time.Second, 0)},
		{"the last that the limit allows is recorded, and did not arrive", cleared, recorded(5, time.Hour, 4)},
		{"one more is allowed by the record", convicted, recorded(4, time.Hour, 3)},
		{"the kept key would have told", convicted, ends(kept(), reset, true, review)},
		{"the kept key would have told, nothing was done", convicted, ends(kept(), "create#1 request reset", false, review)},
		{"a look-up would have found it by its reference", convicted, ends(noKey, reset, true, review)},
		{"a look-up would have found nothing", convicted, ends(noKey, "create#1 request reset", false, review)},
		{"every answer was lost, and a look-up would have told", convicted, ends(kept(), "create#1.. response status 504", true, review)},
		{"it crashed to the end", convicted, ends(kept(), reset, true, crash)},
		{"it waits to the end", convicted, ends(kept(), reset, true, func(t *tape) {
			t.says(harness.Report{Outcome: harness.Waiting, WaitsFor: harness.ForWorker})
			t.end("exit 0", "waiting")
		})},
		{"a stranger's copy bears its reference, which nobody looked for", convicted, ends(kept(), reset, true, func(t *tape) {
			t.stranger("r0", "id-A")
			t.review()
		})},
		{"two bear its reference, and one is gone at the last look", convicted, ends(kept(), reset, true, func(t *tape) {
			t.pass(t.find(), 200, found(obj("r0", "id-A"), obj("r1", "id-A")))
			t.pass(t.find(), 200, found(obj("r1", "id-A")))
			t.review()
		})},
		{"two bear its reference, at a kept key", cleared, ends(kept(), reset, true, func(t *tape) {
			t.stranger("r0", "id-A")
			t.pass(t.find(), 200, found(obj("r0", "id-A"), obj("r1", "id-A")))
			t.review()
		})},
		{"two bear the reference of the ID that it came under first", cleared, ends(kept(), reset, true, func(t *tape) {
			t.stranger("r0", "id-A")
			t.die()
			t.deliver("t", act("A'", twin))
			t.pass(t.find(), 200, found(obj("r0", "id-A"), obj("r1", "id-A")))
			t.review()
		})},
		{"two bear its reference, and nothing else tells", cleared, ends(noKey, reset, true, func(t *tape) {
			t.stranger("r0", "id-A")
			t.pass(t.find(), 200, found(obj("r0", "id-A"), obj("r1", "id-A")))
			t.review()
		})},
		{"a look-up would show two under its reference", cleared, ends(noKey, reset, true, func(t *tape) {
			t.stranger("r0", "id-A")
			t.review()
		})},
		{"review after it was done", convicted, func() *tape {
			t := newTape(kept(), "report#1 lose")
			t.deliver("t", act("A"))
			t.does("r1", key("k"))
			t.says(harness.Report{Outcome: harness.Done, Resource: "r1"})
			t.end("exit 0", "the report was lost")
			t.deliver("t", act("A"))
			t.review()
			return t
		}},
		{"its attempts are spent, and nothing was done", cleared, spentOn(false, true)},
		{"its attempts are spent on what no fault struck, and nothing was done", convicted, spentOn(false, false)},
		{"its attempts are spent, and a look-up would find what was done", convicted, spentOn(true, false)},
		{"minted twice, and a repeat for the second one would tell of the first", convicted, minted(false)},
		{"minted twice, and all that the key tells is a failure", cleared, minted(true)},
		{"refused for good and left for review", convicted, func() *tape {
			t := newTape(kept(), "create#1.. target reject 422")
			t.deliver("t", act("A"))
			t.pass(t.create(key("k")), 422)
			t.review()
			return t
		}},
		{"killed, and done under the ID that was minted again", cleared, func() *tape {
			t := newTape(kept(), "create#1 request kill")
			t.deliver("t", act("A"))
			t.lose(t.create(key("k")), "create#1 request kill")
			t.end("signal SIGKILL", "failed: signal SIGKILL")
			t.deliver("t", act("A'", twin))
			t.does("r1", key("k"))
			t.done("r1")
			return t
		}},
		{"neither key nor look-up", cleared, ends(blind(), reset, true, review)},
		{"a stranger's object, and no reference", cleared, func() *tape {
			t := newTape(findOnly(), reset)
			t.stranger("r0", "")
			t.deliver("t", act("A"))
			t.lose(t.create(), reset)
			t.review()
			return t
		}},
		{"a stranger's object under a unique name", cleared, func() *tape {
			p := kept()
			p.UniqueNames = true
			t := newTape(p, reset)
			t.stranger("r0", "")
			t.deliver("t", act("A"))
			t.lose(t.create(key("k")), reset)
			t.review()
			return t
		}},
		{"two effects of two actions, and no reference", cleared, func() *tape {
			t := newTape(findOnly(), "create#2 response reset")
			t.deliver("t", act("A"))
			t.does("r1")
			t.done("r1")
			t.deliver("u", act("B"))
			n := t.create()
			t.effect(n, "r2")
			t.lose(n, "create#2 response reset")
			t.review()
			return t
		}},
		{"nothing was done, and every mutation is struck", cleared, ends(kept(), "create#1.. request status 504", false, review)},
		{"the look-up is struck as well", cleared, func() *tape {
			t := ends(kept(), "create#1.. response reset", true, review)()
			f, _ := harness.ParseFault("find#1.. response reset")
			t.Schedule.Faults = append(t.Schedule.Faults, f)
			return t
		}},
		{"the target was down to the end", cleared, func() *tape {
			t := newTape(kept(), "deliver#1.. down")
			t.deliver("t", act("A"))
			t.end("exit 75", "failed: exit 75")
			return t
		}},
		{"no approval ever came", cleared, func() *tape {
			t := newTape(kept())
			t.deliver("t", act("A", denied))
			t.says(harness.Report{Outcome: harness.Waiting, WaitsFor: harness.ForApproval})
			t.end("exit 0", "waiting")
			return t
		}},
		{"done", cleared, ends(kept(), reset, true, func(t *tape) { t.done("r1") })},
		{"its acknowledgement was lost", cleared, func() *tape {
			t := newTape(kept(), "report#1.. lose")
			t.deliver("t", act("A"))
			t.does("r1", key("k"))
			t.says(harness.Report{Outcome: harness.Done, Resource: "r1"})
			t.end("exit 0", "the report was lost")
			return t
		}},
		{"review first, done later", cleared, ends(kept(), reset, true, func(t *tape) {
			t.review()
			t.deliver("t", act("A"))
			t.done("r1")
		})},
		{"the trial was cut short", unchecked, ends(kept(), reset, true, func(t *tape) {
			t.Events = append(t.Events, harness.Event{Seq: len(t.Events) + 1, At: t.now, Kind: harness.EvBound, Note: "the trial's time"})
		})},
	})
}

func TestEscalates(t *testing.T) {
	lost := func(p harness.Promises) *tape {
		t := newTape(p, reset)
		t.deliver("t", act("A"))
		n := t.create(key("k"))
		t.effect(n, "r1")
		t.lose(n, reset)
		return t
	}
	unique := findOnly()
	unique.UniqueNames = true
	// beside: what was sent is lost, an effect of another action has a reference or none,
	// and a stranger's object that has none is found.
	beside := func(reference string) func() *tape {
		return func() *tape {
			p := kept()
			p.Key = harness.KeyPromise{}
			t := newTape(p, reset)
			t.deliver("t", act("A"))
			n := t.create()
			t.effect(n, "r1", func(e *harness.Effect) { e.Reference = reference })
			t.pass(n, 201, res("r1"))
			t.done("r1")
			t.stranger("r0", "")
			t.deliver("u", act("B"))
			t.lose(t.create(), reset)
			t.pass(t.find(), 200, found(obj("r0", ""), obj("r1", reference)))
			t.does("r2")
			t.done("r2")
			return t
		}
	}
	referenced := kept()
	referenced.Key = harness.KeyPromise{}
	try(t, "escalates", []one{
		{"a guess among several", convicted, func() *tape {
			t := lost(findOnly())
			t.pass(t.find(), 200, found(obj("r1", ""), obj("r0", "")))
			t.done("r1")
			return t
		}},
		{"several over two pages", convicted, func() *tape {
			t := lost(findOnly())
			t.pass(t.find(), 200, found(obj("r1", "")), more)
			t.pass(t.find(), 200, found(obj("r0", "")))
			t.done("r1")
			return t
		}},
		{"a guess among two under its own reference", convicted, func() *tape {
			t := lost(referenced)
			t.stranger("r0", "id-A")
			t.pass(t.find(), 200, found(obj("r0", "id-A"), obj("r1", "id-A")))
			t.done("r1")
			return t
		}},
		{"two under its own reference, and left for review", cleared, func() *tape {
			t := lost(referenced)
			t.stranger("r0", "id-A")
			t.pass(t.find(), 200, found(obj("r0", "id-A"), obj("r1", "id-A")))
			t.review()
			return t
		}},
		{"two under its own reference, and the kept key tells", unchecked, func() *tape {
			t := lost(kept())
			t.stranger("r0", "id-A")
			t.pass(t.find(), 200, found(obj("r0", "id-A"), obj("r1", "id-A")))
			t.pass(t.create(key("k")), 201, replayed, res("r1"))
			t.done("r1")
			return t
		}},
		{"one of the two was taken back", unchecked, func() *tape {
			t := lost(referenced)
			gone := obj("r0", "id-A")
			gone.Undone = true
			t.pass(t.find(), 200, found(gone, obj("r1", "id-A")))
			t.done("r1")
			return t
		}},
		{"one object on two pages", unchecked, func() *tape {
			t := lost(referenced)
			t.pass(t.find(), 200, found(obj("r1", "id-A")), more)
			t.pass(t.find(), 200, found(obj("r1", "id-A")))
			t.done("r1")
			return t
		}},
		{"one without a reference, and all that was made bears one", unchecked, beside("id-A")},
		{"one without a reference, and nothing that was made bears one", convicted, beside("")},
		{"a stranger's object is adopted", convicted, func() *tape {
			t := newTape(unique, "create#1 request reset")
			t.stranger("r0", "")
			t.deliver("t", act("A"))
			t.lose(t.create(), "create#1 request reset")
			t.pass(t.find(), 200, found(harness.Found{Resource: "r0", Arguments: "other"}))
			t.done("r0")
			return t
		}},
		{"refused because of a stranger's object", convicted, func() *tape {
			t := newTape(unique, "create#1 request reset")
			t.stranger("r0", "")
			t.deliver("t", act("A"))
			t.lose(t.create(), "create#1 request reset")
			t.pass(t.find(), 200, found(obj("r0", "")))
			t.pass(t.create(), 409)
			t.rejected("")
			return t
		}},
		{"nothing to look up by, and sent again", convicted, func() *tape {
			t := lost(blind())
			t.does("r2")
			t.done("r2")
			return t
		}},
		{"nothing to look up by, and given up", convicted, func() *tape {
			t := lost(blind())
			t.rejected("")
			return t
		}},
		{"several, and left for review", cleared, func() *tape {
			t := lost(findOnly())
			t.pass(t.find(), 200, found(obj("r1", ""), obj("r0", "")))
			t.review()
			return t
		}},
		{"nothing to look up by, and left for review", cleared, func() *tape {
			t := lost(blind())
			t.review()
			return t
		}},
		{"the reference told them apart", unchecked, func() *tape {
			t := lost(kept())
			t.pass(t.find(), 200, found(obj("r0", ""), obj("r1", "id-A"), obj("r2", "id-B")))
			t.done("r1")
			return t
		}},
		{"the kept key told them apart", unchecked, func() *tape {
			t := lost(kept())
			t.pass(t.find(), 200, found(obj("r0", ""), obj("r9", "")))
			t.pass(t.create(key("k")), 201, replayed, res("r1"))
			t.done("r1")
			return t
		}},
		{"one match of the action's own", unchecked, func() *tape {
			t := lost(findOnly())
			t.pass(t.find(), 200, found(obj("r1", "")))
			t.done("r1")
			return t
		}},
		{"a person answered", cleared, func() *tape {
			t := lost(blind())
			t.review()
			t.deliver("t", act("A"))
			t.Events[len(t.Events)-1].Deliver.How = []string{"deliver#2 answer yes"}
			t.done("r1")
			return t
		}},
	})
}
