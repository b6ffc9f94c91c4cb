package check

import (
	"testing"

	"github.com/retrydrill/drill/harness"
)

// parted promises a payment and goods that rest on it, and an undo of the payment.
func parted() harness.Promises {
	p := kept()
	p.Parts, p.Cancel, p.Key.Scope = []string{"payment", "goods"}, true, "endpoint"
	p.Steps = []harness.Step{{Op: "pay", Parts: []string{"payment"}, FoundBy: "find_payments", Undo: "cancel"},
		{Op: "create", Parts: []string{"goods"}, FoundBy: "find"}}
	return p
}

func parts(faults ...string) *tape {
	t := newTape(parted(), faults...)
	t.deliver("t", act("A"))
	return t
}

func part(name string) func(*harness.Effect) { return func(e *harness.Effect) { e.Part = name } }

func undo(e *harness.Effect) { e.Kind, e.Part = harness.Undo, "payment" }

// pays and orders are the two steps, committed and answered.
func (t *tape) pays(resource, k string) {
	n := t.send("pay", true, key(k))
	t.effect(n, resource, part("payment"))
	t.pass(n, 201, res(resource))
}

func (t *tape) orders(resource, k string) {
	n := t.create(key(k))
	t.effect(n, resource, part("goods"))
	t.pass(n, 201, res(resource))
}

// cancels takes a payment back; its answer is left to the caller.
func (t *tape) cancels(resource string) int {
	n := t.send("cancel", true, key("A:cancel"))
	t.effect(n, resource, undo)
	return n
}

func (t *tape) refusesGoods() { t.pass(t.create(key("A:create")), 422) }

func TestOneEffectOfParts(t *testing.T) {
	try(t, "one-effect", []one{
		{"paid twice", convicted, func() *tape {
			t := parts()
			t.pays("p1", "k1")
			t.pays("p2", "k2")
			t.orders("g1", "A:create")
			t.done("g1")
			return t
		}},
		{"paid twice, and one taken back later", convicted, func() *tape {
			t := parts()
			t.pays("p1", "k1")
			t.pays("p2", "k2")
			t.pass(t.cancels("p2"), 200)
			t.orders("g1", "A:create")
			t.done("g1")
			return t
		}},
		{"one of each part", cleared, func() *tape {
			t := parts()
			t.pays("p1", "A:pay")
			t.orders("g1", "A:create")
			t.done("g1")
			return t
		}},
		{"paid again after the first payment was taken back", cleared, func() *tape {
			t := parts()
			t.pays("p1", "A:pay")
			t.refusesGoods()
			t.pass(t.cancels("p1"), 200)
			t.rejected("rejected_permanent")
			t.deliver("t", act("A", reapproved))
			t.pays("p2", "A:pay:2")
			t.orders("g1", "A:create:2")
			t.done("g1")
			return t
		}},
	})
}

func TestNoLostEffectOfParts(t *testing.T) {
	try(t, "no-lost-effect", []one{
		{"the goods are missing", convicted, func() *tape {
			t := parts()
			t.pays("p1", "A:pay")
			t.done("p1")
			return t
		}},
		{"the payment was taken back", convicted, func() *tape {
			t := parts()
			t.pays("p1", "A:pay")
			t.orders("g1", "A:create")
			t.pass(t.cancels("p1"), 200)
			t.done("g1")
			return t
		}},
		{"both parts stand", cleared, func() *tape {
			t := parts()
			t.pays("p1", "A:pay")
			t.orders("g1", "A:create")
			t.done("g1")
			return t
		}},
		{"refused and taken back", cleared, func() *tape {
			t := parts()
			t.pays("p1", "A:pay")
			t.refusesGoods()
			t.pass(t.cancels("p1"), 200)
			t.rejected("rejected_permanent")
			return t
		}},
	})
}

func TestTrueReportOfParts(t *testing.T) {
	try(t, "true-report", []one{
		{"the payment stands beside a rejection", convicted, func() *tape {
			t := parts()
			t.pays("p1", "A:pay")
			t.refusesGoods()
			t.rejected("rejected_permanent")
			return t
		}},
		{"it is taken back only after the report", convicted, func() *tape {
			t := parts()
			t.pays("p1", "A:pay")
			t.refusesGoods()
			n := t.send("cancel", true, key("A:cancel"))
			t.rejected("rejected_permanent")
			t.effect(n, "p1", undo)
			return t
		}},
		{"it was taken back before", cleared, func() *tape {
			t := parts()
			t.pays("p1", "A:pay")
			t.refusesGoods()
			t.pass(t.cancels("p1"), 200)
			t.rejected("rejected_permanent")
			return t
		}},
	})
}

// A step that was confirmed is a part of the effect: who reports that another worker was
// refused the next one, and took this one back, keeps the class, also where a later
// approval has it all made anew.
func TestClassKeptOfParts(t *testing.T) {
	try(t, "class-kept", []one{
		{"all parts stand, and it is reported as rejected", convicted, func() *tape {
			t := parts()
			t.pays("p1", "k1")
			t.orders("g1", "A:create")
			t.heard("whole answer", 1)
			t.rejected("rejected_permanent")
			return t
		}},
		{"another worker took it back, and it was made anew later", cleared, func() *tape {
			t := parts()
			t.at(1, 1, 1)
			t.deliverAs("t", act("A"))
			t.pays("p1", "k1")
			t.heard("whole answer", 1)
			t.at(2, 1, 1)
			t.deliverAs("t", act("A"))
			t.refusesGoods()
			t.pass(t.cancels("p1"), 200)
			t.rejected("rejected_permanent")
			t.at(1, 1, 1)
			t.rejected("rejected_permanent")
			t.at(1, 2, 2)
			t.deliverAs("t", act("A", reapproved))
			t.pays("p2", "k2")
			t.orders("g2", "A:create")
			t.done("g2")
			return t
		}},
	})
}

func TestNoBadUndo(t *testing.T) {
	const lostUndo = "cancel#1 response status 503"
	try(t, "no-bad-undo", []one{
		{"the goods are unknown, and there", convicted, func() *tape {
			t := parts(reset)
			t.pays("p1", "A:pay")
			n := t.create(key("A:create"))
			t.effect(n, "g1", part("goods"))
			t.lose(n, reset)
			t.pass(t.cancels("p1"), 200)
			t.rejected("rejected_permanent")
			return t
		}},
		{"the goods are unknown, and not there", convicted, func() *tape {
			t := parts(reset)
			t.pays("p1", "A:pay")
			t.lose(t.create(key("A:create")), reset)
			t.pass(t.cancels("p1"), 200)
			t.rejected("rejected_permanent")
			return t
		}},
		{"nothing was refused at all", convicted, func() *tape {
			t := parts()
			t.pays("p1", "A:pay")
			t.pass(t.cancels("p1"), 200)
			t.rejected("rejected_permanent")
			return t
		}},
		{"another action's payment", convicted, func() *tape {
			t := parts()
			t.pays("p1", "A:pay")
			t.orders("g1", "A:create")
			t.done("g1")
			t.deliver("u", act("B"))
			t.pays("p2", "B:pay")
			t.pass(t.create(key("B:create")), 422)
			t.pass(t.cancels("p1"), 200)
			t.rejected("rejected_permanent")
			return t
		}},
		{"the goods are refused for good", cleared, func() *tape {
			t := parts()
			t.pays("p1", "A:pay")
			t.refusesGoods()
			t.pass(t.cancels("p1"), 200)
			t.rejected("rejected_permanent")
			return t
		}},
		{"the undo's answer is lost, and it is looked up", cleared, func() *tape {
			t := parts(lostUndo)
			t.pays("p1", "A:pay")
			t.refusesGoods()
			t.stand(t.cancels("p1"), 503)
			t.fired(lostUndo)
			t.pass(t.send("find_payments", false), 200, found(harness.Found{Resource: "p1", Reference: "id-A", Undone: true}))
			t.rejected("rejected_permanent")
			return t
		}},
		{"a second payment is surplus", cleared, func() *tape {
			t := parts()
			t.pays("p1", "k1")
			t.pays("p2", "k2")
			t.pass(t.cancels("p2"), 200)
			t.orders("g1", "A:create")
			t.done("g1")
			return t
		}},
		{"the attempts are spent and nothing is there", cleared, func() *tape {
			const never = "create#1.. request status 504"
			t := parts(never)
			t.pays("p1", "A:pay")
			for range t.Schedule.Limits.MaxAttempts {
				t.stand(t.create(key("A:create")), 504)
				t.pass(t.find(), 200)
			}
			t.fired(never)
			t.pass(t.cancels("p1"), 200)
			t.rejected(harness.AttemptsSpent)
			return t
		}},
		{"the goods are refused for now, and the executor stops", cleared, func() *tape {
			t := parts()
			t.pays("p1", "A:pay")
			t.pass(t.create(key("A:create")), 429)
			t.pass(t.cancels("p1"), 200)
			t.rejected(harness.AttemptsSpent)
			return t
		}},
		{"the goods are refused for now, and an attempt before is unknown", convicted, func() *tape {
			t := parts(reset)
			t.pays("p1", "A:pay")
			t.lose(t.create(key("A:create")), reset)
			t.pass(t.create(key("A:create")), 429)
			t.pass(t.cancels("p1"), 200)
			t.rejected(harness.AttemptsSpent)
			return t
		}},
		{"the goods are refused for now, and the transport had sent the call before", cleared, func() *tape {
			t := parts(reset)
			t.pays("p1", "A:pay")
			t.heard("whole answer", 1)
			t.lose(t.create(key("A:create"), on(1, true)), reset)
			t.pass(t.create(key("A:create"), on(2, false)), 429)
			t.heard("whole answer", 2)
			t.pass(t.cancels("p1"), 200)
			t.heard("whole answer", 1)
			t.rejected(harness.AttemptsSpent)
			return t
		}},
		{"the payment was looked up too soon, and the goods were never asked for", convicted, func() *tape {
			t := parts()
			t.pays("p1", "A:pay")
			t.pass(t.send("find_payments", false), 200)
			t.pass(t.cancels("p1"), 200)
			t.rejected("rejected_permanent")
			return t
		}},
		{"nothing is taken back", unchecked, func() *tape {
			t := parts()
			t.pays("p1", "A:pay")
			t.orders("g1", "A:create")
			t.done("g1")
			return t
		}},
	})
}

// twice: a payment is not answered and looked up, with a stranger's copy or without, and so
// are the goods; a person is asked.
func twice(copied bool) *tape {
	t := parts(reset)
	n := t.send("pay", true, key("A:pay"))
	t.effect(n, "p1", part("payment"))
	t.lose(n, reset)
	seen := []harness.Found{obj("p1", "id-A")}
	if copied {
		t.stranger("p2", "id-A")
		seen = append(seen, obj("p2", "id-A"))
	}
	t.pass(t.send("find_payments", false), 200, found(seen...))
	t.pass(t.find(), 200)
	t.review()
	return t
}

func TestSettlesWithParts(t *testing.T) {
	try(t, "settles", []one{
		{"a person is asked what a look-up shows", convicted, func() *tape {
			t := parts(reset)
			t.pays("p1", "A:pay")
			n := t.create(key("A:create"))
			t.effect(n, "g1", part("goods"))
			t.lose(n, reset)
			t.review()
			return t
		}},
		{"a part is done, and the request for the other goes missing", convicted, func() *tape {
			t := parts(close1)
			t.pays("p1", "A:pay")
			t.lose(t.create(key("A:create")), close1)
			t.review()
			return t
		}},
		{"a part is done, and every request for the other goes missing", cleared, func() *tape {
			const closed = "create#1.. request close"
			t := parts(closed)
			t.pays("p1", "A:pay")
			t.lose(t.create(key("A:create")), closed)
			t.review()
			return t
		}},
		{"two payments bear its reference, and no goods", cleared, func() *tape { return twice(true) }},
		{"one payment bears its reference, and no goods", convicted, func() *tape { return twice(false) }},
		{"refused, and taken back for certain", cleared, func() *tape {
			t := parts()
			t.pays("p1", "A:pay")
			t.refusesGoods()
			t.pass(t.cancels("p1"), 200)
			t.rejected("rejected_permanent")
			return t
		}},
	})
}

// TestPartsAreJudgedAsAWhole: what a refusal of one part leads to breaks no rule.
func TestPartsAreJudgedAsAWhole(t *testing.T) {
	h := parts()
	h.pays("p1", "A:pay")
	h.refusesGoods()
	h.pass(h.cancels("p1"), 200)
	h.rejected("rejected_permanent")
	j := Judge(h.History)
	if j.Verdict != harness.Safe {
		t.Fatalf("%s: %v", j.Reason, j.Violations)
	}
}
