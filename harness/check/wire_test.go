package check

import (
	"testing"
	"time"

	"github.com/retrydrill/drill/harness"
)

func TestStableKey(t *testing.T) {
	lost := func(p harness.Promises, k string) *tape {
		t := newTape(p, reset)
		t.deliver("t", act("A"))
		t.lose(t.create(key(k)), reset)
		return t
	}
	try(t, "stable-key", []one{
		{"another key after a lost answer", convicted, func() *tape {
			t := lost(kept(), "k1")
			t.does("r1", key("k2"))
			return t
		}},
		{"another key by the next life", convicted, func() *tape {
			t := lost(kept(), "k1")
			t.die()
			t.deliver("t", act("A"))
			t.does("r1", key("k2"))
			return t
		}},
		{"another key although a look-up showed nothing", convicted, func() *tape {
			t := lost(kept(), "k1")
			t.pass(t.find(), 200)
			t.does("r1", key("k2"))
			return t
		}},
		{"another key after a transient refusal, while the first is unknown", convicted, func() *tape {
			t := lost(kept(), "k1")
			t.pass(t.create(key("k1")), 429)
			t.does("r1", key("k2"))
			return t
		}},
		{"another key while the first is at work elsewhere", convicted, func() *tape {
			t := newTape(kept())
			t.deliver("t", act("A"))
			n := t.create(key("k1"))
			t.at(2, 1, 1)
			t.deliverAs("t", act("A"))
			t.does("r2", key("k2"))
			t.pass(n, 201)
			return t
		}},
		{"other arguments under the key", convicted, func() *tape {
			t := lost(kept(), "k1")
			t.deliver("t", act("A", changed))
			t.pass(t.create(key("k1"), args("w2")), 400, code("key_error"))
			return t
		}},
		{"torn before the key in its body was seen", cleared, func() *tape {
			p := kept()
			p.Key.InBody = true
			t := newTape(p, reset)
			t.deliver("t", act("A"))
			t.lose(t.create(tornBody), reset)
			t.does("r1", key("k1"))
			t.done("r1")
			return t
		}},
		{"no key in the head, where it would stand", convicted, func() *tape {
			t := newTape(kept(), reset)
			t.deliver("t", act("A"))
			t.lose(t.create(tornBody), reset)
			t.does("r1", key("k1"))
			return t
		}},
		{"a complaint about the key does not tell of the first one", convicted, func() *tape {
			t := lost(kept(), "k1")
			t.pass(t.create(key("k1")), 400, code("key_error"))
			t.does("r1", key("k2"))
			return t
		}},
		{"the key was left out", convicted, func() *tape {
			t := lost(kept(), "k1")
			t.does("r1")
			return t
		}},
		{"two actions share a key", convicted, func() *tape {
			t := newTape(kept())
			t.deliver("t", act("A"))
			t.does("r1", key("k"))
			t.deliver("u", act("B"))
			t.pass(t.create(key("k")), 201, replayed, res("r1"))
			return t
		}},
		{"two operations share a key", convicted, func() *tape {
			t := newTape(kept())
			t.deliver("t", act("A"))
			t.does("r1", key("k"), op("pay"))
			t.does("r2", key("k"), op("ship"))
			return t
		}},
		{"the same key", cleared, func() *tape {
			t := lost(kept(), "k1")
			t.does("r1", key("k1"))
			return t
		}},
		{"a new key after a definite rejection", cleared, func() *tape {
			t := newTape(kept())
			t.deliver("t", act("A"))
			t.pass(t.create(key("k1")), 402)
			t.does("r1", key("k2"))
			return t
		}},
		{"a rejection replayed under the lost key is definite", cleared, func() *tape {
			t := lost(kept(), "k1")
			t.pass(t.create(key("k1")), 402, replayed)
			t.does("r1", key("k2"))
			return t
		}},
		{"a new key after the first expired", cleared, func() *tape {
			p := kept()
			p.Key.Retention = harness.Duration(500 * time.Millisecond)
			t := lost(p, "k1")
			t.wait(600 * time.Millisecond)
			t.does("r1", key("k2"))
			return t
		}},
		{"the trial's settings shorten the retention", cleared, func() *tape {
			t := lost(kept(), "k1")
			t.Schedule.Settings.ForgetKey = true
			t.wait(700 * time.Millisecond)
			t.does("r1", key("k2"))
			return t
		}},
		{"a replayed stored failure, and nothing was done", cleared, func() *tape {
			t := newTape(kept(), "create#1 target reject 500")
			t.deliver("t", act("A"))
			t.pass(t.create(key("k1")), 500)
			t.pass(t.create(key("k1")), 500, replayed)
			t.pass(t.find(), 200)
			t.does("r1", key("k1:g2"))
			return t
		}},
		{"a replayed stored failure alone", convicted, func() *tape {
			t := newTape(kept(), "create#1 target reject 500")
			t.deliver("t", act("A"))
			t.pass(t.create(key("k1")), 500)
			t.pass(t.create(key("k1")), 500, replayed)
			t.does("r1", key("k1:g2"))
			return t
		}},
		{"a twin may use the first one's key", cleared, func() *tape {
			t := newTape(kept())
			t.deliver("t", act("A"))
			t.does("r1", key("k"))
			t.pass(t.create(key("k")), 201, replayed, res("r1"))
			t.deliver("t", act("A'", twin))
			t.pass(t.create(key("k")), 201, replayed, res("r1"))
			return t
		}},
		{"operations may share a key where the scope is the endpoint", cleared, func() *tape {
			p := kept()
			p.Key.Scope = "endpoint"
			t := newTape(p)
			t.deliver("t", act("A"))
			t.does("r1", key("k"), op("pay"))
			t.does("r2", key("k"), op("ship"))
			return t
		}},
		{"a proxy's copy is no attempt", unchecked, func() *tape {
			t := newTape(kept(), "create#1 request duplicate")
			t.deliver("t", act("A"))
			n := t.create(key("k"))
			e := t.requests[n]
			e.Copy, e.Key = true, "other"
			t.add(e)
			return t
		}},
		{"no key was sent", unchecked, func() *tape {
			t := lost(kept(), "")
			t.does("r1")
			return t
		}},
	})
}

func TestReconcileFirst(t *testing.T) {
	lost := func(p harness.Promises, k string) *tape {
		t := newTape(p, reset)
		t.deliver("t", act("A"))
		t.lose(t.create(key(k)), reset)
		return t
	}
	try(t, "reconcile-first", []one{
		{"sent again without a key", convicted, func() *tape {
			t := lost(kept(), "")
			t.does("r1")
			return t
		}},
		{"sent again under another key", convicted, func() *tape {
			t := lost(kept(), "k1")
			t.does("r1", key("k2"))
			return t
		}},
		{"sent again where no key is kept", convicted, func() *tape {
			t := lost(findOnly(), "k1")
			t.does("r1", key("k1"))
			return t
		}},
		{"sent again after the key expired", convicted, func() *tape {
			p := kept()
			p.Key.Retention = harness.Duration(500 * time.Millisecond)
			t := lost(p, "k1")
			t.wait(600 * time.Millisecond)
			t.does("r1", key("k1"))
			return t
		}},
		{"the key expired, a look-up shows another's object, and what follows is sent twice under it", cleared, func() *tape {
			p := kept()
			p.Key.Retention = harness.Duration(500 * time.Millisecond)
			t := lost(p, "k1")
			t.wait(600 * time.Millisecond)
			t.pass(t.find(), 200, found(obj("r9", "id-B")))
			t.lose(t.create(key("k1")), reset)
			t.does("r1", key("k1"))
			return t
		}},
		{"the same, and the look-up shows its own", convicted, func() *tape {
			p := kept()
			p.Key.Retention = harness.Duration(500 * time.Millisecond)
			t := lost(p, "k1")
			t.wait(600 * time.Millisecond)
			t.pass(t.find(), 200, found(obj("r9", "id-A")))
			t.lose(t.create(key("k1")), reset)
			t.does("r1", key("k1"))
			return t
		}},
		{"the next life did not look", convicted, func() *tape {
			t := lost(kept(), "")
			t.die()
			t.deliver("t", act("A"))
			t.does("r1")
			return t
		}},
		{"a gateway's 504 is unknown", convicted, func() *tape {
			t := newTape(kept(), "create#1 response status 504")
			t.deliver("t", act("A"))
			t.stand(t.create(), 504)
			t.does("r1")
			return t
		}},
		{"the look-up was not answered", convicted, func() *tape {
			t := lost(kept(), "")
			t.lose(t.find(), "find#1 response reset")
			t.does("r1")
			return t
		}},
		{"the look-up was begun before", convicted, func() *tape {
			t := newTape(kept(), reset)
			t.deliver("t", act("A"))
			f := t.find()
			n := t.create()
			t.pass(f, 200)
			t.lose(n, reset)
			t.does("r1")
			return t
		}},
		{"the client from Env did not hear the answer that left", convicted, func() *tape {
			t := newTape(kept(), "create#1 response delay past-deadline")
			t.deliver("t", act("A"))
			n := t.create()
			t.wait(300 * time.Millisecond)
			t.heard("no answer", 1)
			t.wait(60 * time.Millisecond)
			t.pass(n, 201)
			t.does("r1")
			return t
		}},
		{"looked first", cleared, func() *tape {
			t := lost(kept(), "k1")
			t.pass(t.find(), 200)
			t.does("r1", key("k1"))
			t.lose(t.create(key("k1")), "create#3 response reset")
			t.does("r1", key("k1"))
			return t
		}},
		{"the same kept key", cleared, func() *tape {
			t := lost(kept(), "k1")
			t.does("r1", key("k1"))
			return t
		}},
		{"an ID that the client chose", cleared, func() *tape {
			p := findOnly()
			p.ClientIDs = true
			t := lost(p, "")
			t.does("r1")
			return t
		}},
		{"a transient refusal is definite", unchecked, func() *tape {
			t := newTape(kept())
			t.deliver("t", act("A"))
			t.pass(t.create(), 429)
			t.does("r1")
			return t
		}},
		{"a look-up of a batch tells of each of its actions", cleared, func() *tape {
			t := newTape(findOnly(), reset)
			t.deliver("t", act("A"), act("B"))
			t.lose(t.create(of("A")), reset)
			t.pass(t.find(unattributed), 200)
			t.does("r1", of("A"))
			return t
		}},
	})
}

func TestBoundedAttempts(t *testing.T) {
	many := func(n, limit int, o ...opt) func() *tape {
		return func() *tape {
			t := newTape(kept())
			t.Schedule.Limits.MaxAttempts = limit
			t.deliver("t", act("A"))
			for range n {
				t.stand(t.create(append([]opt{key("k")}, o...)...), 504)
			}
			return t
		}
	}
	again := func(wait time.Duration, life int) func() *tape {
		return func() *tape {
			t := newTape(kept())
			t.deliver("t", act("A"))
			t.stand(t.create(key("k")), 429, after(time.Second))
			t.wait(wait)
			t.life += life
			t.does("r1", key("k"))
			return t
		}
	}
	warm := func(o ...func(*tape)) func() *tape {
		return func() *tape {
			t := newTape(kept(), "create#1.. response reset")
			t.Schedule.Limits.MaxAttempts = 1
			t.deliver("t", act("A"))
			t.lose(t.create(key("k"), on(1, true)), "create#1.. response reset")
			t.does("r1", key("k"), on(2, false))
			for _, f := range o {
				f(t)
			}
			return t
		}
	}
	try(t, "bounded-attempts", []one{
		{"one more than the limit", convicted, many(6, 5)},
		{"over two workers", convicted, func() *tape {
			t := many(3, 5)()
			t.at(2, 1, 1)
			t.deliverAs("t", act("A"))
			for range 3 {
				t.stand(t.create(key("k")), 504)
			}
			return t
		}},
		{"sooner than Retry-After", convicted, again(900*time.Millisecond, 0)},
		{"a repeat on a new connection is not the transport's", convicted, func() *tape {
			t := newTape(kept())
			t.Schedule.Limits.MaxAttempts = 1
			t.deliver("t", act("A"))
			t.lose(t.create(key("k"), on(1, false)), reset)
			t.does("r1", key("k"), on(2, false))
			return t
		}},
		{"the client from Env says that the call was the executor's", convicted, warm(func(t *tape) {
			t.heard("whole answer", 1)
			t.lose(t.create(key("k"), on(2, true)), reset)
			t.does("r1", key("k"), on(3, false))
		})},
		{"as many as the limit", cleared, many(5, 5)},
		{"Retry-After was kept, less 2 %", cleared, again(985*time.Millisecond, 0)},
		{"another life does not know of Retry-After", cleared, again(0, 1)},
		{"a transport may have sent it again", cleared, warm()},
		{"the transport sent it again", cleared, warm(func(t *tape) { t.heard("whole answer", 2) })},
		{"a proxy's copy is not counted", cleared, func() *tape {
			t := many(5, 5)()
			e := t.requests[1]
			e.Copy = true
			t.add(e)
			return t
		}},
		{"no limit is declared", unchecked, many(9, 0)},
	})
}

func TestPermanentStops(t *testing.T) {
	// under: nothing arrived under the approval before, and under the new one the key
	// gets a refusal, of which the target does or does not say that it is no replay.
	under := func(marked bool) *tape {
		p := kept()
		p.Key.Marked = marked
		t := newTape(p, close1)
		t.deliver("t", act("A"))
		t.lose(t.create(key("k1")), close1)
		t.die()
		t.deliver("t", act("A", reapproved))
		t.pass(t.create(key("k1")), 422)
		return t
	}
	refused := func() *tape {
		t := newTape(kept())
		t.deliver("t", act("A"))
		t.pass(t.create(key("k1")), 422)
		return t
	}
	// again: a newer approval came, and who had it died.
	again := func() *tape {
		t := refused()
		t.rejected("")
		t.deliver("t", act("A", reapproved))
		t.create(key("k2"))
		t.die()
		return t
	}
	try(t, "permanent-stops", []one{
		{"asked again", convicted, func() *tape {
			t := refused()
			t.pass(t.create(key("k2")), 422)
			return t
		}},
		{"asked again after it was reported", convicted, func() *tape {
			t := refused()
			t.rejected("")
			t.deliver("t", act("A"))
			t.pass(t.create(key("k1")), 422)
			return t
		}},
		{"asked again after it was recorded and reported", convicted, func() *tape {
			t := refused()
			t.records("rejected", 1, recordWritten)
			t.rejected("")
			t.deliver("t", act("A"))
			t.pass(t.create(key("k1")), 422)
			return t
		}},
		{"asked again after the store lost what was reported", cleared, func() *tape {
			t := refused()
			t.records("rejected", 1, recordLost)
			t.rejected("")
			t.deliver("t", act("A"))
			t.pass(t.create(key("k1")), 422)
			return t
		}},
		{"its store did not take the refusal, and it asks again at the next hand-over", cleared, func() *tape {
			t := refused()
			t.records("rejected", 1, "failed")
			t.end("error", "failed: error")
			t.life = 1
			t.deliver("t", act("A"))
			t.pass(t.create(key("k1")), 422)
			return t
		}},
		{"its store did not take the refusal, and it asks again at once", convicted, func() *tape {
			t := refused()
			t.records("rejected", 1, "failed")
			t.pass(t.create(key("k1")), 422)
			return t
		}},
		{"it stopped and recorded nothing, and asks again at the next hand-over", convicted, func() *tape {
			t := refused()
			t.end("error", "failed: error")
			t.life = 1
			t.deliver("t", act("A"))
			t.pass(t.create(key("k1")), 422)
			return t
		}},
		{"asked again on another machine, which could not know", cleared, func() *tape {
			t := refused()
			t.rejected("")
			t.deliver("t", act("A"))
			t.Events[len(t.Events)-1].Deliver.How = []string{"deliver#2 elsewhere"}
			t.pass(t.create(key("k1")), 422)
			return t
		}},
		{"who heard it lost its claim, said so, and comes again", cleared, func() *tape {
			t := refused()
			t.says(harness.Report{Outcome: harness.Waiting, WaitsFor: harness.ForWorker})
			t.end("exit 0", "waiting")
			t.deliver("t", act("A"))
			t.pass(t.create(key("k1")), 422)
			return t
		}},
		{"who heard it waits for an approval, and asks again", convicted, func() *tape {
			t := refused()
			t.says(harness.Report{Outcome: harness.Waiting, WaitsFor: harness.ForApproval})
			t.end("exit 0", "waiting")
			t.deliver("t", act("A"))
			t.pass(t.create(key("k1")), 422)
			return t
		}},
		{"asked again and again, each time after a while", convicted, func() *tape {
			t := refused()
			for range 2 {
				t.wait(200 * time.Millisecond)
				t.pass(t.create(key("k1")), 422)
			}
			return t
		}},
		{"asked again once, as if the deadline had passed", cleared, func() *tape {
			t := refused()
			t.wait(300 * time.Millisecond)
			t.pass(t.create(key("k1")), 422)
			t.rejected("")
			return t
		}},
		{"stopped", cleared, func() *tape {
			t := refused()
			t.rejected("")
			return t
		}},
		{"approved again", cleared, func() *tape {
			t := refused()
			t.rejected("")
			t.deliver("t", act("A", reapproved))
			t.does("r1", key("k1"))
			return t
		}},
		{"approved again, the old refusal replayed, and a new key", cleared, func() *tape {
			t := refused()
			t.rejected("")
			t.deliver("t", act("A", reapproved))
			t.pass(t.create(key("k1")), 422, replayed)
			t.pass(t.find(), 200)
			t.does("r1", key("k1:g2"))
			t.done("r1")
			return t
		}},
		{"refused for now and then for good, approved again, the old refusal replayed, and a new key", cleared, func() *tape {
			t := newTape(kept())
			t.deliver("t", act("A"))
			t.pass(t.create(key("k1")), 429)
			t.pass(t.create(key("k1")), 422)
			t.rejected("")
			t.deliver("t", act("A", reapproved))
			t.pass(t.create(key("k1")), 422, replayed)
			t.pass(t.find(), 200)
			t.does("r1", key("k1:g2"))
			t.done("r1")
			return t
		}},
		{"refused under a new approval, and no mark says that it is no replay: a new key", cleared, func() *tape {
			t := under(false)
			t.does("r1", key("k1:g2"))
			return t
		}},
		{"the same, and refused again under the new key", convicted, func() *tape {
			t := under(false)
			t.pass(t.create(key("k1:g2")), 422)
			t.create(key("k1:g3"))
			return t
		}},
		{"the same, where the record alone tells of a request before", cleared, func() *tape {
			t := newTape(kept())
			t.deliver("t", act("A"))
			t.records("sent", 1, recordWritten)
			t.die()
			t.deliver("t", act("A", reapproved))
			t.records("sent", 2, recordWritten)
			t.pass(t.create(key("k1")), 422)
			t.does("r1", key("k1:g2"))
			return t
		}},
		{"the same under the key that told", convicted, func() *tape {
			t := under(false)
			t.create(key("k1"))
			return t
		}},
		{"refused under a new approval, and a replay would be marked", convicted, func() *tape {
			t := under(true)
			t.create(key("k1:g2"))
			return t
		}},
		{"approved again, and who has the older approval goes on with what was sent since", cleared, func() *tape {
			t := again()
			t.deliver("t", act("A"))
			t.does("r1", key("k2"))
			return t
		}},
		{"approved again, and refused again by whoever has it", convicted, func() *tape {
			t := again()
			t.deliver("t", act("A"))
			t.pass(t.create(key("k2")), 422)
			t.create(key("k2"))
			return t
		}},
		{"approved again and refused again, and asked under the older approval", convicted, func() *tape {
			t := again()
			t.deliver("t", act("A", reapproved))
			t.pass(t.create(key("k2")), 422)
			t.rejected("")
			t.deliver("t", act("A"))
			t.create(key("k3"))
			return t
		}},
		{"an older approval that nobody refused is no newer one", convicted, func() *tape {
			t := newTape(kept())
			t.deliver("t", act("A"))
			t.die()
			t.deliver("t", act("A", reapproved))
			t.pass(t.create(key("k1")), 422)
			t.create(key("k1"))
			return t
		}},
		{"other arguments", cleared, func() *tape {
			t := refused()
			t.does("r1", key("k2"), args("w2"))
			return t
		}},
		{"another worker was on its way", cleared, func() *tape {
			t := newTape(kept())
			t.deliver("t", act("A"))
			t.at(2, 1, 1)
			t.deliverAs("t", act("A"))
			t.at(1, 1, 1)
			t.pass(t.create(key("k1")), 422)
			t.find()
			t.at(2, 1, 1)
			t.pass(t.create(key("k1")), 422)
			return t
		}},
		{"it died before it heard", unchecked, func() *tape {
			t := refused()
			t.die()
			t.deliver("t", act("A"))
			t.create(key("k1"))
			return t
		}},
		{"it gave up before the answer left", unchecked, func() *tape {
			t := newTape(kept())
			t.deliver("t", act("A"))
			n := t.create(key("k1"))
			t.wait(300 * time.Millisecond)
			t.pass(n, 422)
			t.create(key("k1"))
			return t
		}},
		{"a transient refusal", unchecked, func() *tape {
			t := newTape(kept())
			t.deliver("t", act("A"))
			t.pass(t.create(key("k1")), 429)
			t.does("r1", key("k1"))
			return t
		}},
	})
}
