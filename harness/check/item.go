package check

import "github.com/retrydrill/drill/harness"

// item is one event that concerns an action, and what it is part of.
type item struct {
	*harness.Event
	turn    turn
	attempt *attempt
	report  *report
	// lookup is set where the event completes a look-up.
	lookup *lookup
}

// turn is what an item is, as its worker sees it.
type turn uint8

const (
	// sends: a mutation arrived.
	sends turn = iota
	// asks: a read arrived. It is an item only where the operation takes something back.
	asks
	// gets: an answer to a mutation left for the worker.
	gets
	// reads: an answer to a read left for it; with a look-up where that is whole now.
	reads
	// loses: there is no answer to the request.
	loses
	// tells: it reported. There is no attempt.
	tells
)

// asked is the turn of a request.
func (a *attempt) asked() turn {
	if a.Changes {
		return sends
	}
	return asks
}

// got is the turn of what the request gets: an answer, or none.
func (a *attempt) got(k harness.EventKind) turn {
	switch {
	case k == harness.EvLost:
		return loses
	case a.Changes:
		return gets
	}
	return reads
}
