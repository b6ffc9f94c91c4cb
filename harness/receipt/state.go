package receipt

// State is where an action stands.
type State string

const (
	// Prepared: the action is known and digested, nothing allows it yet.
	Prepared State = "prepared"
	// Approved: a valid approval covers it; no request is out.
	Approved State = "approved"
	// Sent: a request is about to leave, or has left. Found by a later life it
	// means the same as Unknown.
	Sent State = "sent"
	// Confirmed: the effect exists once. Final.
	Confirmed State = "confirmed"
	// Rejected: nothing was done. Only a new approval leads on.
	Rejected State = "rejected"
	// Unknown: the effect may or may not exist; reconcile before anything is repeated.
	Unknown State = "unknown"
	// NeedsReview: the evidence is ambiguous and a person decides; see [Rulings].
	// Executors leave it as it is.
	NeedsReview State = "needs_review"
)

// States lists every state in the order of an action's life.
var States = []State{Prepared, Approved, Sent, Confirmed, Rejected, Unknown, NeedsReview}

// Transition is one allowed move.
type Transition struct {
	From, To State
	// Why says what makes the move right.
	Why string
}

// Transitions is the one table of allowed moves; a store refuses every other.
var Transitions = []Transition{
	{Prepared, Approved, "a valid approval covers the digest"},
	{Approved, Sent, "a request is about to leave"},
	{Approved, Rejected, "the attempts are spent, each definitely refused"},
	{Approved, Unknown, "this receipt is new but the delivery is not: an earlier life elsewhere may have sent"},
	{Sent, Confirmed, "the target answered with the effect, or a look-up found it"},
	{Sent, Rejected, "the target refused for good"},
	{Sent, Unknown, "no answer, or one that tells nothing; or a request that is open since an earlier life"},
	{Sent, Approved, "refused for now or never dispatched, and nothing else is open"},
	{Unknown, Sent, "absence is proven, or the key makes the repeat harmless"},
	{Unknown, Confirmed, "a look-up found exactly the approved effect"},
	{Unknown, Rejected, "absence is proven and nothing allows another attempt"},
	{Unknown, NeedsReview, "several effects, a foreign one, or no proof either way"},
	{Rejected, Approved, "a new approval covers the action"},
	{NeedsReview, Confirmed, "a person found the effect"},
	{NeedsReview, Rejected, "a person found that nothing was done, and closed it"},
	{NeedsReview, Approved, "a person found that nothing was done, and one more attempt may follow"},
}

// Allowed reports whether a receipt may move from one state to the other. A state
// that is not final may be written again as it is, for evidence and for the lease.
func Allowed(from, to State) bool {
	if from == to {
		return !from.Settled() && from.place() >= 0
	}
	i, j := from.place(), to.place()
	return i >= 0 && j >= 0 && allowed[i][j]
}

// place is the state's in [States], or -1.
func (s State) place() int {
	switch s {
	case Prepared:
		return 0
	case Approved:
		return 1
	case Sent:
		return 2
	case Confirmed:
		return 3
	case Rejected:
		return 4
	case Unknown:
		return 5
	case NeedsReview:
		return 6
	}
	return -1
}

// allowed is [Transitions] by the places of the states in [States].
var allowed = func() (may [7][7]bool) {
	for _, t := range Transitions {
		may[t.From.place()][t.To.place()] = true
	}
	return may
}()

// Settled reports whether the state is an answer: confirmed, rejected or
// needs_review. No lease guards a settled receipt.
func (s State) Settled() bool { return s == Confirmed || s == Rejected || s == NeedsReview }

// Open reports whether a request may be out whose outcome is not known.
func (s State) Open() bool { return s == Sent || s == Unknown }
