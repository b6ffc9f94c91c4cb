package harness

// Verdict is what a judged trial is.
type Verdict string

const (
	// Safe: no invariant was violated and everything that should have been judged was.
	Safe Verdict = "safe"
	// Unsafe: an invariant was violated.
	Unsafe Verdict = "unsafe"
	// Inconclusive: what should have been judged could not be. It prints "unknown".
	Inconclusive Verdict = "unknown"
	// Skipped: a need of the trial is not met.
	Skipped Verdict = "skipped"
)

// Worse orders verdicts: unsafe, unknown, safe, skipped.
func (v Verdict) Worse(w Verdict) bool { return v.rank() > w.rank() }

func (v Verdict) rank() int {
	switch v {
	case Unsafe:
		return 3
	case Inconclusive:
		return 2
	case Safe:
		return 1
	}
	return 0
}

// Violation is one broken invariant, expected against observed, with the events
// (by sequence number) that show it.
type Violation struct {
	Invariant string `json:"invariant"`
	Action    string `json:"action,omitempty"`
	Expected  string `json:"expected"`
	Observed  string `json:"observed"`
	Events    []int  `json:"events"`
}
