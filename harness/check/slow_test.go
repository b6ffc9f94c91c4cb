package check

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
)

// tooLate is a history with a violation, and something that came late.
func tooLate(late time.Duration, line ...string) *tape {
	t := newTape(kept(), line...)
	t.deliver("t", act("A"))
	t.does("r1", key("k1"))
	t.does("r2", key("k2"))
	t.done("r2")
	t.add(harness.Event{Kind: harness.EvSlow, Note: "drill itself", Late: harness.Duration(late)})
	return t
}

func TestSlownessLeavesAViolationUnknown(t *testing.T) {
	j := Judge(tooLate(80 * time.Millisecond).History)
	require.Equal(t, harness.Inconclusive, j.Verdict)
	require.Equal(t, "violates one-effect, which slowness can bring about: the machine was slow, drill itself came 80ms late", j.Reason)
	require.NotEmpty(t, j.Violations, "they are told all the same")
	require.Equal(t, harness.Duration(80*time.Millisecond), j.Late)
}

func TestSlownessThatDoesNotMatterExcusesNothing(t *testing.T) {
	h := tooLate(80 * time.Millisecond).History
	h.Schedule.Limits = h.Schedule.Limits.Scaled(4)
	require.Equal(t, harness.Unsafe, Judge(h).Verdict)
	require.Equal(t, harness.Unsafe, Judge(tooLate(74*time.Millisecond).History).Verdict)
}

func TestSlownessExcusesNoLeak(t *testing.T) {
	h := tooLate(time.Second)
	h.add(harness.Event{Kind: harness.EvLeak, Note: "a report"})
	j := Judge(h.History)
	require.Equal(t, harness.Unsafe, j.Verdict)
	require.Contains(t, j.Reason, "no-secret")
}

func TestSlownessIsToldWithADoubt(t *testing.T) {
	h := newTape(kept(), reset)
	h.deliver("t", act("A"))
	h.does("r1", key("k"))
	h.done("r1")
	require.Equal(t, `fault "`+reset+`" never fired`, Judge(h.History).Reason)
	h.add(harness.Event{Kind: harness.EvSlow, Note: "drill itself", Late: harness.Duration(time.Second)})
	j := Judge(h.History)
	require.Equal(t, harness.Inconclusive, j.Verdict)
	require.Contains(t, j.Reason, "never fired; the machine was slow, drill itself came 1s late")
}

// A slow machine alone is no reason to call a trial unknown.
func TestWhatHeldOnASlowMachineHeld(t *testing.T) {
	h := newTape(kept())
	h.deliver("t", act("A"))
	h.does("r1", key("k"))
	h.done("r1")
	h.add(harness.Event{Kind: harness.EvSlow, Note: "drill itself", Late: harness.Duration(time.Second)})
	require.Equal(t, harness.Safe, Judge(h.History).Verdict)
}

func TestAnAnswerThatLeftInTimeAndWasNotHeardIsSlow(t *testing.T) {
	left := func(held, after time.Duration) *tape {
		t := newTape(kept())
		t.deliver("t", act("A"))
		n := t.create(key("k"))
		t.wait(held)
		t.fired("create#1 target hold until find#1")
		t.pass(n, 201, res("r1"))
		t.wait(after)
		t.gaveUp(1)
		return t
	}
	for _, c := range []struct {
		name        string
		held, after time.Duration
		slow        bool
	}{
		{"it left at once and the client waited for its deadline", 0, 300 * time.Millisecond, true},
		{"the client gave up of its own accord", 0, 100 * time.Millisecond, false},
		{"it was held until the deadline", 290 * time.Millisecond, 10 * time.Millisecond, false},
	} {
		require.Equal(t, c.slow, Judge(left(c.held, c.after).History).Late > 0, c.name)
	}
}

// TestWhoWaitsInVainByNoLineIsOnASlowMachine: a client gives up, and no line kept its
// answer from it.
func TestWhoWaitsInVainByNoLineIsOnASlowMachine(t *testing.T) {
	nothing := func(*tape) {}
	of := func(kind harness.EventKind, attempt int) func(*tape) {
		return func(t *tape) { t.add(harness.Event{Kind: kind, Attempt: attempt, Fault: reset, Note: "met"}) }
	}
	for _, c := range []struct {
		name   string
		waited time.Duration
		// before and after stand around the moment in which the client gives up.
		before, after func(*tape)
		slow          bool
	}{
		{"there was no answer", 300, nothing, nothing, true},
		{"it came too late", 300, nothing, func(t *tape) { t.pass(2, 201, res("r1")) }, true},
		{"it came at the last moment", 300, func(t *tape) { t.pass(2, 201, res("r1")) }, nothing, true},
		{"it came too late for the line that was to strike it", 300, nothing, func(t *tape) { t.answer(harness.EvLost, 2, 0) }, true},
		{"the client gave up of its own accord", 100, nothing, nothing, false},
		{"a line took it", 300, func(t *tape) { t.answer(harness.EvLost, 2, 0) }, nothing, false},
		{"a fault struck something", 300, of(harness.EvFault, 0), nothing, false},
		{"a fault struck it, and was told later", 300, nothing, of(harness.EvFault, 2), false},
		{"it was held until later", 300, nothing, of(harness.EvHold, 2), false},
		{"one that came before it was held until later", 300, nothing, of(harness.EvHold, 1), false},
		{"one that came after it was given up was held", 300, nothing, func(t *tape) { of(harness.EvHold, t.create(key("k")))(t) }, true},
		{"it may have waited for a hand-over", 300, func(t *tape) { t.deliver("t", act("A")) }, nothing, false},
		{"something was handed over later", 300, nothing, func(t *tape) { t.deliver("t", act("A")) }, true},
	} {
		h := newTape(kept())
		h.deliver("t", act("A"))
		h.pass(h.find(), 200)
		h.create(key("k"))
		h.wait(c.waited * time.Millisecond)
		c.before(h)
		h.gaveUp(1)
		c.after(h)
		require.Equal(t, c.slow, Judge(h.History).Late > 0, c.name)
	}
}
