package check

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
)

func TestInvariantsAreListedInOrder(t *testing.T) {
	var ids []string
	for _, i := range Invariants {
		ids = append(ids, i.ID)
		assert.NotEmpty(t, i.Doc, i.ID)
		assert.NotEmpty(t, i.Needs, i.ID)
		assert.NotNil(t, i.check, i.ID)
	}
	assert.Equal(t, []string{"one-effect", "no-lost-effect", "true-report", "same-result", "arguments-bound", "approval-bound", "stable-key",
		"distinct-intents", "reconcile-first", "bounded-attempts", "permanent-stops", "class-kept", "settles", "escalates", "no-bad-undo", "no-secret",
		"record-first", "one-action-per-trigger"}, ids)
	_, ok := Find("none-such")
	assert.False(t, ok)
}

// careful is what the reference does with a lost answer.
func careful(faults ...string) *tape {
	t := newTape(kept(), append([]string{reset}, faults...)...)
	t.deliver("t", act("A"))
	n := t.create(key("id-A"))
	t.effect(n, "r1")
	t.lose(n, reset)
	t.pass(t.find(), 200, found(obj("r1", "id-A")))
	t.done("r1")
	return t
}

func TestSafe(t *testing.T) {
	j := Judge(careful().History)
	assert.Equal(t, harness.Safe, j.Verdict)
	assert.Empty(t, j.Reason)
	assert.Empty(t, j.Violations)
	assert.Empty(t, j.Caveats)
	assert.Equal(t, []string{"same-result", "stable-key", "distinct-intents", "reconcile-first", "permanent-stops", "escalates",
		"no-bad-undo", "record-first", "one-action-per-trigger"}, j.NotChecked())
	for _, id := range j.NotChecked() {
		assert.Zero(t, j.Inspected.Of(id))
	}
}

func TestUnknown(t *testing.T) {
	unknown := func(want string, tape *tape) {
		t.Helper()
		j := Judge(tape.History)
		assert.Empty(t, j.Violations)
		assert.Equal(t, harness.Inconclusive, j.Verdict)
		assert.Equal(t, want, j.Reason)
	}
	unknown(`fault "create#2 response reset" never fired`, careful("create#2 response reset"))

	h := careful()
	h.create(unattributed)
	h.effect(2, "r2", func(e *harness.Effect) { e.Attempt = 99 })
	h.Events[len(h.Events)-1].Action = ""
	unknown("mutations that could not be put to an action: 1; effects that could not be put to an action: 1", h)

	h = careful()
	h.add(harness.Event{Kind: harness.EvBound, Note: "the trial's time"})
	h.add(harness.Event{Kind: harness.EvHold, Note: "met", Fault: "x"})
	h.add(harness.Event{Kind: harness.EvHold, Note: "timed-out", Fault: "create#1 target hold until report#1 or 1s"})
	unknown(`a bound was hit: the trial's time; hold "create#1 target hold until report#1 or 1s" was ended by time alone`, h)

	h = careful("create#2 response reset?")
	assert.Equal(t, harness.Safe, Judge(h.History).Verdict, "what may stay unfired is no doubt")
}

func TestUnsafeGoesBeforeUnknown(t *testing.T) {
	h := careful("create#9 response reset")
	h.effect(1, "r2")
	j := Judge(h.History)
	assert.Equal(t, harness.Unsafe, j.Verdict)
	assert.Equal(t, "violates one-effect", j.Reason)
	require.Len(t, j.Violations, 1)
	assert.Equal(t, harness.Violation{Invariant: "one-effect", Action: "A", Expected: "1 effect", Observed: "2 effects", Events: []int{3, 12}}, j.Violations[0])
}

func TestAllViolationsAtOnce(t *testing.T) {
	h := newTape(kept(), reset)
	h.deliver("t", act("A"))
	n := h.create(key("k1"))
	h.effect(n, "r1")
	h.lose(n, reset)
	h.does("r2", key("k2"))
	h.done("r3")
	assert.Equal(t, "violates one-effect, true-report, stable-key, reconcile-first", Judge(h.History).Reason)
}

// TestABrokenPromiseConvictsNobody: what an executor did at a target that does not
// keep its promises is told, and not held against it.
func TestABrokenPromiseConvictsNobody(t *testing.T) {
	for mode, want := range map[string]harness.Verdict{"": harness.Unsafe, harness.KeyIgnore: harness.Inconclusive} {
		h := newTape(kept())
		h.Schedule.Settings.KeyMode = mode
		h.deliver("t", act("A"))
		h.does("r1")
		h.does("r2")
		h.done("r2")
		j := Judge(h.History)
		assert.Equal(t, want, j.Verdict, j.Reason)
		assert.NotEmpty(t, j.Violations)
		if mode != "" {
			assert.Contains(t, j.Reason, "key-mode ignore")
			assert.Contains(t, j.Caveats, "the target broke a promise: key-mode ignore: a repeated key is promised to make nothing more")
		}
	}
}

func TestCaveats(t *testing.T) {
	caveats := func(h *tape) []string { return Judge(h.History).Caveats }

	h := newTape(kept())
	h.deliver("t", act("A"))
	h.does("r1")
	assert.Equal(t, []string{"no key was ever sent"}, caveats(h))

	h = newTape(findOnly())
	h.deliver("t", act("A"))
	h.does("r1")
	assert.Equal(t, []string{"late arrival was not tried: at this target a repeat is not harmless"}, caveats(h))

	h = careful()
	for range 2 {
		h.add(harness.Event{Kind: harness.EvRefused, Note: "a request to example.org, outside of the trial"})
		h.add(harness.Event{Kind: harness.EvLog, Note: "more than 1 MiB of output; its reports count, its log is cut"})
	}
	assert.Equal(t, []string{"a request to a host outside of the trial was refused", "the worker printed more than 1 MiB: its log is cut"}, caveats(h))
}

func TestWhoSentARepeat(t *testing.T) {
	warm := func() *tape {
		h := newTape(kept(), reset)
		h.deliver("t", act("A"))
		n := h.create(key("k"), on(1, true))
		h.effect(n, "r1")
		h.lose(n, reset)
		h.pass(h.create(key("k"), on(2, false)), 201, replayed, res("r1"))
		return h
	}
	h := warm()
	h.done("r1")
	assert.Equal(t, []string{"create#2 repeats create#1 on another connection: executor or transport, which cannot be told apart"}, Judge(h.History).Caveats)

	h = warm()
	h.heard("whole answer", 2)
	h.done("r1")
	assert.Equal(t, []string{"one call became two requests, sent by the transport: create#2 repeats create#1"}, Judge(h.History).Caveats)

	h = newTape(kept(), reset)
	h.deliver("t", act("A"))
	n := h.create(key("k"), on(1, true))
	h.effect(n, "r1")
	h.lose(n, reset)
	h.heard("no answer", 1)
	h.pass(h.create(key("k"), on(2, false)), 201, replayed, res("r1"))
	h.heard("whole answer", 1)
	h.done("r1")
	j := Judge(h.History)
	assert.Empty(t, j.Caveats, "the client from Env tells that the executor sent both")
	assert.Equal(t, 2, j.Inspected.Of("bounded-attempts"))
}
