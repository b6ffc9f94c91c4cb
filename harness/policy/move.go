package policy

import "github.com/retrydrill/drill/harness"

// Move is what an executor does next.
type Move string

const (
	// Automatic sends the same action again, under the same ID.
	Automatic Move = "automatic_same_action_id"
	// Bounded sends it again within the limits.
	Bounded Move = "bounded_same_action_id"
	// Reconcile reads what the target has before anything is repeated.
	Reconcile Move = "reconcile_then_decide"
	// Stop waits for other arguments or a new approval.
	Stop Move = "stop_for_new_input_or_approval"
	// Stored returns what the receipt holds and sends nothing.
	Stored Move = "return_stored_receipt"
	// Review hands the evidence to a person.
	Review Move = "needs_review"
)

// Moves lists every move, the freest first.
var Moves = []Move{Automatic, Bounded, Reconcile, Stop, Stored, Review}

// Sends reports whether the move repeats the request without a look at the target.
func (m Move) Sends() bool { return m == Automatic || m == Bounded }

// Key is the name of a class in a policy document.
func Key(c harness.Class) string {
	if c == harness.Unknown {
		return "outcome_unknown"
	}
	return string(c)
}

// byKey returns the class that a document calls so.
func byKey(key string) (harness.Class, bool) {
	for _, c := range harness.Classes {
		if Key(c) == key {
			return c, true
		}
	}
	return "", false
}
