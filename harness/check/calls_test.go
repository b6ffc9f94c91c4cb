package check

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
)

// gaveUp: the client from Env gave a call up, of which it had sent so many requests.
func (t *tape) gaveUp(sends int) {
	t.add(harness.Event{Kind: harness.EvHeard, Note: heardNothing, Failure: harness.FailGaveUp, Sends: sends})
}

// resentLate is a call whose transport sent it again, and which was given up before
// the second request arrived.
func resentLate(late ...opt) *tape {
	t := recording(reset)
	t.records("sent", 1, recordWritten)
	t.lose(t.create(key("k"), on(1, true)), reset)
	t.gaveUp(2)
	n := t.create(append([]opt{key("k"), on(2, false)}, late...)...)
	t.effect(n, "r1")
	t.pass(n, 201, res("r1"))
	t.records("unknown", 1, recordWritten)
	t.pass(t.find(on(3, false)), 200, found(obj("r1", "id-A")))
	t.heard("whole answer", 1)
	t.records("confirmed", 1, recordWritten)
	t.done("r1")
	return t
}

func TestARequestThatTheTransportSentArrivesAfterItsCallWasGivenUp(t *testing.T) {
	h := resentLate().History
	require.Equal(t, harness.Safe, Judge(h).Verdict, "%v", Judge(h).Violations)
	v := NewView(h)
	require.Same(t, v.sent[0], v.sent[1].resends)
	require.True(t, v.sent[1].unheard)
	require.Equal(t, harness.Unknown, v.sent[1].class)
}

// Another request than the one that was sent before is the executor's own.
func TestWhatTheTransportDidNotSendHasARecord(t *testing.T) {
	j := Judge(resentLate(key("other")).History)
	require.Equal(t, harness.Unsafe, j.Verdict)
	require.Contains(t, j.Reason, "record-first")
}

// One more than the transport sent is the executor's own, too.
func TestTheTransportSendsNoMoreThanItSays(t *testing.T) {
	h := resentLate()
	h.does("r2", key("k"))
	require.Contains(t, Judge(h.History).Reason, "record-first")
}

// stray: a call is given up before its request arrives, which comes just before or
// after that of the next call.
func stray(before bool) *tape {
	t := newTape(kept())
	t.deliver("t", act("A"))
	t.gaveUp(1)
	late := func() { t.pass(t.create(key("k"), on(1, false)), 422) }
	if before {
		late()
	}
	n := t.find(on(2, false))
	if !before {
		late()
	}
	t.pass(n, 200)
	t.heard("whole answer", 1)
	return t
}

func TestAStrayIsNotTakenForHeard(t *testing.T) {
	for _, before := range []bool{true, false} {
		v := NewView(stray(before).History)
		require.False(t, v.sent[0].sure(), "nobody heard the answer to it")
	}
}

// A stray whose answer never left leaves no doubt which request was heard.
func TestAStrayWithoutAnAnswerLeavesTheOtherHeard(t *testing.T) {
	h := newTape(kept(), reset)
	h.deliver("t", act("A"))
	h.gaveUp(1)
	h.lose(h.create(key("k"), on(1, false)), reset)
	n := h.create(key("k"), on(2, false))
	h.pass(n, 422)
	h.heard("whole answer", 1)
	v := NewView(h.History)
	require.True(t, v.sent[0].unheard)
	require.True(t, v.sent[1].sure())
}

// After a stray has come, calls are told apart again.
func TestAStrayIsCountedOnce(t *testing.T) {
	h := stray(true)
	n := h.create(key("k"), on(2, true))
	h.pass(n, 422)
	h.heard("whole answer", 1)
	h.create(key("k"), on(2, true))
	j := Judge(h.History)
	require.Contains(t, j.Reason, "permanent-stops")
}
