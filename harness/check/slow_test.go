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

func TestAnAnswerThatCameTooLateByNothingIsSlow(t *testing.T) {
	fault := func(t *tape) { t.fired("create#1 target hold until find#1") }
	hold := func(t *tape) { t.add(harness.Event{Kind: harness.EvHold, Note: "met"}) }
	handed := func(t *tape) { t.deliver("t", act("A")) }
	nothing := func(*tape) {}
	left := func(held, after time.Duration, by func(*tape)) *tape {
		t := newTape(kept())
		t.deliver("t", act("A"))
		n := t.create(key("k"))
		t.wait(held)
		by(t)
		t.pass(n, 201, res("r1"))
		t.wait(after)
		t.gaveUp(1)
		return t
	}
	for _, c := range []struct {
		name        string
		held, after time.Duration
		by          func(*tape)
		slow        bool
	}{
		{"it left at once and the client waited for its deadline", 0, 300 * time.Millisecond, nothing, true},
		{"the client gave up of its own accord", 0, 100 * time.Millisecond, nothing, false},
		{"the target took until the deadline", 290 * time.Millisecond, 10 * time.Millisecond, nothing, true},
		{"the target did not take long", 60 * time.Millisecond, 70 * time.Millisecond, nothing, false},
		{"a fault held it until the deadline", 290 * time.Millisecond, 10 * time.Millisecond, fault, false},
		{"something else did", 290 * time.Millisecond, 10 * time.Millisecond, hold, false},
		{"it may have waited for a hand-over", 290 * time.Millisecond, 10 * time.Millisecond, handed, false},
	} {
		require.Equal(t, c.slow, Judge(left(c.held, c.after, c.by).History).Late > 0, c.name)
	}
}
