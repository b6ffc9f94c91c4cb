package check

import "github.com/retrydrill/drill/harness"

// kind is an event's kind as a number, so that its word is read once in a history.
type kind uint8

const (
	// evOther is of what nothing is judged by.
	evOther kind = iota
	evDeliver
	evEffect
	evRequest
	evAnswer
	evPassed
	evLost
	evHeard
	evFault
	evRecord
	evReport
	evEnd
	evAck
	evNack
	evState
	evLog
	evSlow
	// evAside are bounds, holds, refusals and leaks.
	evAside
)

func kindOf(k harness.EventKind) kind {
	switch k {
	case harness.EvDeliver:
		return evDeliver
	case harness.EvRequest:
		return evRequest
	case harness.EvEffect:
		return evEffect
	case harness.EvAnswer:
		return evAnswer
	case harness.EvPassed:
		return evPassed
	case harness.EvLost:
		return evLost
	case harness.EvHeard:
		return evHeard
	case harness.EvFault:
		return evFault
	case harness.EvRecord:
		return evRecord
	case harness.EvReport:
		return evReport
	case harness.EvEnd:
		return evEnd
	case harness.EvAck:
		return evAck
	case harness.EvNack:
		return evNack
	case harness.EvState:
		return evState
	case harness.EvLog:
		return evLog
	case harness.EvSlow:
		return evSlow
	case harness.EvBound, harness.EvHold, harness.EvRefused, harness.EvLeak:
		return evAside
	}
	return evOther
}
