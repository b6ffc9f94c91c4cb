package tap

import "github.com/retrydrill/drill/harness"

// What a hold or a rendezvous ended with.
const (
	HoldMet    = "met"
	HoldNotMet = "not-met"
	HoldLate   = "timed-out"
)

// Held records how the holding of a request ended; a rendezvous has no fault.
func (s *Session) Held(e *harness.Event, fault, note string) {
	defer s.heldBy(fault, note)
	s.Add(harness.Event{Kind: harness.EvHold, Worker: e.Worker, Incarnation: e.Incarnation, Delivery: e.Delivery,
		Action: e.Action, Attempt: e.Attempt, Op: e.Op, N: e.N, Fault: fault, Note: note})
}
