package check

import "testing"

// A life that leaves an attempt open and is handed the action again goes by the record,
// in which another life may have settled that meanwhile. In the hand-over itself, and
// where nobody settled it, what it left open is open.
func TestWhatAnotherSettledMeanwhile(t *testing.T) {
	const gaveUp = "create#1 request cancel"
	begin := func() *tape {
		t := newTape(kept(), gaveUp)
		t.at(1, 1, 1)
		t.deliver("t", act("A"))
		t.lose(t.create(key("k")), gaveUp)
		return t
	}
	settled := func(look bool) *tape {
		t := begin()
		t.end("error", "failed: error")
		t.at(2, 1, 2)
		t.deliver("t", act("A"))
		if look {
			t.pass(t.find(), 200)
			t.pass(t.create(key("k")), 402)
			t.rejected("rejected_permanent")
		}
		t.end("returned", "")
		t.at(1, 1, 3)
		t.deliver("t", act("A"))
		t.rejected("rejected_permanent")
		return t
	}
	for _, id := range []string{"class-kept", "no-lost-effect"} {
		try(t, id, []one{
			{"another one looked and was refused", cleared, func() *tape { return settled(true) }},
			{"another one did nothing", convicted, func() *tape { return settled(false) }},
			{"in its own hand-over", convicted, func() *tape {
				t := begin()
				t.rejected("rejected_permanent")
				return t
			}},
		})
	}
}

// Where its own look-up proved that nothing came of the attempt, it goes by the record
// too: a refusal that another one heard since is the answer, and what nobody was told is
// none.
func TestWhatAnotherHeardOnceNothingWasFound(t *testing.T) {
	const gaveUp = "create#1 request close"
	once := func(another bool) *tape {
		t := newTape(kept(), gaveUp)
		t.at(1, 1, 1)
		t.deliver("t", act("A"))
		t.lose(t.create(key("k")), gaveUp)
		t.pass(t.find(), 200)
		t.end("error", "failed: error")
		t.at(2, 1, 2)
		t.deliver("t", act("A"))
		if another {
			t.pass(t.create(key("k")), 402)
			t.rejected("rejected_permanent")
		}
		t.end("returned", "")
		t.at(1, 1, 3)
		t.deliver("t", act("A"))
		t.rejected("rejected_permanent")
		return t
	}
	try(t, "no-lost-effect", []one{
		{"another one was refused", cleared, func() *tape { return once(true) }},
		{"another one did nothing", convicted, func() *tape { return once(false) }},
	})
}
