package search

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
)

// held is a create of the first worker that is held, and what happens until it goes on.
func held(note string, between ...harness.Event) *harness.History {
	create := harness.Event{Kind: harness.EvRequest, Worker: 1, Incarnation: 1, Attempt: 1, Op: "create", N: 1, Changes: true}
	h := &harness.History{Events: append([]harness.Event{create}, between...)}
	h.Events = append(h.Events, harness.Event{Kind: harness.EvHold, Worker: 1, Incarnation: 1, Attempt: 1, Note: note, Fault: "create#1@w1 request hold until report#1@w2"})
	for i := range h.Events {
		h.Events[i].Seq = i + 1
	}
	return h
}

// A held request comes too late where its sender went on without it, whether or not
// what it was held for came about; where a repeat is harmless that is no matter.
func TestArrivesLate(t *testing.T) {
	gaveUp := harness.Event{Kind: harness.EvHeard, Worker: 1, Incarnation: 1}
	other := harness.Event{Kind: harness.EvReport, Worker: 2, Incarnation: 1}
	assert.False(t, ArrivesLate(held("met")))
	assert.False(t, ArrivesLate(held("met", other)), "another worker went on, as it should")
	assert.True(t, ArrivesLate(held("met", gaveUp, other)))
	assert.True(t, ArrivesLate(held("not-met", other)))
	keyed := held("met", gaveUp, other)
	keyed.Promises.Key = harness.KeyPromise{Kept: true, Same: "replay"}
	assert.False(t, ArrivesLate(keyed))
	restarted := harness.Event{Kind: harness.EvFault, Worker: 1, Incarnation: 1, Fault: "create#2 target restart"}
	forgotten := held("met", gaveUp, restarted, other)
	forgotten.Promises.Key = keyed.Promises.Key
	line, err := harness.ParseFault(restarted.Fault)
	require.NoError(t, err)
	forgotten.Schedule.Faults = []harness.Fault{line}
	assert.True(t, ArrivesLate(forgotten), "its key is forgotten when it arrives")
	forgotten.Promises.ClientIDs = true
	assert.False(t, ArrivesLate(forgotten), "its ID is the client's")
	keyed.Schedule.Faults = forgotten.Schedule.Faults
	assert.False(t, ArrivesLate(keyed), "and before that it is kept")
	together := held("met", gaveUp, other)
	together.Events[len(together.Events)-1].Fault = ""
	assert.True(t, ArrivesLate(together), "at a rendezvous, for one that stood still")
	read := held("met", gaveUp, other)
	read.Events[0].Changes = false
	assert.False(t, ArrivesLate(read), "a read changes nothing, whenever it comes")
}

// What happens while a request or its answer is delayed is behind the delay.
func TestStruckAtTheCrossing(t *testing.T) {
	h := &harness.History{Events: []harness.Event{
		{Kind: harness.EvRequest, Attempt: 1, Op: "create", N: 1},
		{Kind: harness.EvAnswer, Attempt: 1, Op: "create", N: 1},
		{Kind: harness.EvHeard},
		{Kind: harness.EvRequest, Attempt: 2, Op: "find", N: 1},
		{Kind: harness.EvFault, Attempt: 1, Fault: "create#1 request delay past-deadline"},
		{Kind: harness.EvFault, Attempt: 1, Fault: "create#1 response delay past-deadline"},
		{Kind: harness.EvFault, Fault: "record#1 fail"},
	}}
	for i := range h.Events {
		h.Events[i].Seq = i + 1
	}
	for line, at := range map[string]int{"create#1 request delay past-deadline": 1, "create#1 response delay past-deadline": 2, "record#1 fail": 7, "find#1 request close": 0} {
		f, err := harness.ParseFault(line)
		require.NoError(t, err)
		assert.Equal(t, at, struckAt(h, f), line)
	}
}
