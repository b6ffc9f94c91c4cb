package check

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
)

// TestTold: what ended a doubt, and why nothing did.
func TestTold(t *testing.T) {
	review := harness.Report{ActionID: "id-A", Outcome: harness.NeedsReview}
	done := harness.Report{ActionID: "id-A", Outcome: harness.Done, Resource: "r1"}
	const lost = "create#1 response reset"
	for _, c := range []struct {
		name     string
		promises harness.Promises
		play     func(*tape)
		told     []string
		review   string
	}{
		{"the answer came", kept(), func(x *tape) {
			x.does("r1", key("k"))
			x.says(done)
		}, nil, ""},
		{"a look-up found it", kept(), func(x *tape) {
			n := x.create(key("k"))
			x.effect(n, "r1")
			x.lose(n, lost)
			x.pass(x.find(), 200, found(obj("r1", "id-A")))
			x.says(done)
		}, []string{byLookup}, ""},
		{"a repeat under the kept key", kept(), func(x *tape) {
			n := x.create(key("k"))
			x.effect(n, "r1")
			x.lose(n, lost)
			x.pass(x.create(key("k")), 201, res("r1"), replayed)
			x.says(done)
		}, []string{byKey}, ""},
		{"a look-up that finds nothing and proves nothing, then the key", unsure(kept()), func(x *tape) {
			n := x.create(key("k"))
			x.effect(n, "r1")
			x.lose(n, lost)
			x.pass(x.find(), 200)
			x.pass(x.create(key("k")), 201, res("r1"))
			x.says(done)
		}, []string{byKey}, ""},
		{"neither key nor look-up", blind(), func(x *tape) {
			x.lose(x.create(), lost)
			x.says(review)
		}, nil, "the profile offers no key and no look-up"},
		{"no key, and a look-up that proves nothing", unsure(findOnly()), func(x *tape) {
			x.lose(x.create(), lost)
			x.pass(x.find(), 200)
			x.says(review)
		}, nil, "the profile offers no key and no look-up that proves absence"},
		{"a key that may be forgotten", forgetful(), func(x *tape) {
			x.lose(x.create(key("k")), lost)
			x.wait(time.Second)
			x.says(review)
		}, nil, "the key may be forgotten, and the profile offers no look-up"},
		{"somebody else's", unique(), func(x *tape) {
			x.stranger("r0", "")
			x.lose(x.create(), lost)
			x.pass(x.find(), 200, found(obj("r0", "")))
			x.says(review)
		}, nil, "somebody else's object stands in its place"},
		{"nothing was in doubt", kept(), func(x *tape) {
			x.does("r1", key("k"))
			x.says(review)
		}, nil, "the executor asked for it with no request in doubt"},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := newTape(c.promises)
			x.deliver("t", act("A"))
			c.play(x)
			x.add(harness.Event{Kind: harness.EvEnd, Note: "exit 0"})
			j := Judge(x.History)
			require.Equal(t, c.told, j.Told)
			require.Equal(t, c.review, j.Review)
		})
	}
}

func unsure(p harness.Promises) harness.Promises {
	p.Lookup.Authoritative = false
	return p
}

func forgetful() harness.Promises {
	p := kept()
	p.Lookup, p.Key.Retention = harness.FindPromise{}, harness.Duration(100*time.Millisecond)
	return p
}

func unique() harness.Promises {
	p := findOnly()
	p.UniqueNames = true
	return p
}
