package harness

// Class is what the outcome of one attempt means. Four of the five are definite;
// [Unknown] says that the effect may or may not have happened.
type Class string

const (
	// NeverDispatched: no byte of the request can have reached the target
	// (connection refused, name or TLS failure). Send again under the same ID.
	NeverDispatched Class = "never_dispatched"
	// RejectedTransient: refused, nothing was done, may be tried again within bounds.
	RejectedTransient Class = "rejected_transient"
	// RejectedPermanent: refused, nothing was done, the same request stays refused.
	RejectedPermanent Class = "rejected_permanent"
	// Confirmed: the effect exists.
	Confirmed Class = "confirmed"
	// Unknown: reconcile before anything is repeated.
	Unknown Class = "unknown"
)

// Classes lists every class, in the order of their next moves.
var Classes = []Class{NeverDispatched, RejectedTransient, RejectedPermanent, Confirmed, Unknown}

// Definite reports whether the class tells what happened at the target.
func (c Class) Definite() bool { return c != Unknown && c != "" }

// Rejected reports whether the target refused and did nothing.
func (c Class) Rejected() bool { return c == RejectedTransient || c == RejectedPermanent }

// Outcome is what an executor reports about one action.
type Outcome string

const (
	// Done: the effect exists once; the report names its resource.
	Done Outcome = "done"
	// Rejected: nothing was done and nothing will be.
	Rejected Outcome = "rejected"
	// NeedsReview: the evidence is ambiguous, a person decides.
	NeedsReview Outcome = "needs_review"
	// Waiting: the action waits for an approval or for another worker.
	Waiting Outcome = "waiting"
)

// Outcomes lists every outcome that a report may carry.
var Outcomes = []Outcome{Done, Rejected, NeedsReview, Waiting}

// The error classes that a report may name beside a [Class].
const (
	// ArgumentsChanged: the delivered arguments are not those of the receipt.
	ArgumentsChanged = "arguments_changed"
	// ApprovalMissing: no valid approval covers the arguments.
	ApprovalMissing = "approval"
	// AttemptsSpent: the bound on attempts was reached, and nothing was done.
	AttemptsSpent = "attempts_spent"
	// NotAllowed: the effect, the target or the arguments are none that may be asked for.
	NotAllowed = "not_allowed"
	// ClosedByPerson: a person found that nothing was done, and closed the action.
	ClosedByPerson = "closed_by_person"
	// Ambiguous: the evidence names several effects, a foreign one, or none for sure.
	Ambiguous = "ambiguous"
)

// What a waiting report may wait for.
const (
	// ForApproval: a person's answer.
	ForApproval = "approval"
	// ForWorker: another worker that holds the action.
	ForWorker = "worker"
)
