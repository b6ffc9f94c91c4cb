package policy

import (
	"time"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/internal/located"
)

// Policy is a retry policy that was read.
type Policy struct {
	Moves     map[harness.Class]Move
	Limits    Limits
	Overrides []Override
	Allow     Allowed

	file *located.File
}

// Allowed lists what may be asked for at all; an empty list leaves it open.
type Allowed struct {
	// Effects are kinds of effect, Targets names of profiles.
	Effects, Targets []string
}

// Limits bound what is repeated.
type Limits struct {
	// Attempts bounds all attempts of one action, the first included; 0 is no bound.
	Attempts int
	// PerClass bounds the attempts that ended in a class; a class left out has none.
	PerClass map[harness.Class]int
	// Budget bounds the time from the first attempt; 0 is no bound.
	Budget  time.Duration
	Backoff Backoff
	// IgnoreRetryAfter: the target's own wish is not followed.
	IgnoreRetryAfter bool
}

// Backoff is how far apart attempts are.
type Backoff struct {
	Initial time.Duration
	Factor  float64
	Max     time.Duration
	Jitter  Jitter
}

// Jitter is how much of a wait is left to chance.
type Jitter string

const (
	// Full: anything up to the wait.
	Full Jitter = "full"
	// Equal: half the wait, and anything up to the other half.
	Equal Jitter = "equal"
	// None: the wait itself.
	None Jitter = "none"
)

// Jitters lists every jitter.
var Jitters = []Jitter{Full, Equal, None}

// Default is the policy that keeps the contract; what a document leaves out is what
// it says.
func Default() Policy {
	return Policy{
		Moves: map[harness.Class]Move{
			harness.NeverDispatched:   Automatic,
			harness.RejectedTransient: Bounded,
			harness.RejectedPermanent: Stop,
			harness.Confirmed:         Stored,
			harness.Unknown:           Reconcile,
		},
		Limits: Limits{
			Attempts: 5,
			Budget:   30 * time.Second,
			Backoff:  Backoff{Initial: 200 * time.Millisecond, Factor: 2, Max: 5 * time.Second, Jitter: Full},
		},
	}
}

// Place returns line and column of what the path leads to in the document, or 1, 1
// for a policy that was not read from one.
func (p Policy) Place(path ...any) (line, column int) {
	if p.file == nil {
		return 1, 1
	}
	e, ok := p.file.Errorf(path, "here").(*located.Error)
	if !ok {
		return 1, 1
	}
	return e.Line, e.Column
}

// Spent reports whether the limits allow no further attempt: after so many in all
// and in this class, and so long after the first.
func (l *Limits) Spent(class harness.Class, attempts, inClass int, since time.Duration) bool {
	bound, ok := l.PerClass[class]
	return l.Attempts > 0 && attempts >= l.Attempts ||
		ok && inClass >= bound ||
		l.Budget > 0 && since >= l.Budget
}

// Expected is how many requests of one action are expected at most: what the limits say
// themselves. Those that bound the time alone are held to no number, which is 0, and those
// that bound nothing to another one.
func (l *Limits) Expected(otherwise int) int {
	switch {
	case l.Attempts > 0:
		return l.Attempts
	case l.Budget > 0 || l.PerClass[harness.RejectedTransient] > 0 && l.PerClass[harness.Unknown] > 0:
		return 0
	}
	return otherwise
}

// Wait is how long to wait before attempt n+1, n counting from 1. The target's
// Retry-After (0: none) wins over the back-off, unless it is ignored. The chance is
// a number from 0 up to 1.
func (l Limits) Wait(n int, retryAfter time.Duration, chance float64) time.Duration {
	if retryAfter > 0 && !l.IgnoreRetryAfter {
		return retryAfter
	}
	return l.Backoff.wait(n, chance)
}

func (b Backoff) wait(n int, chance float64) time.Duration {
	w := b.Ceiling(n)
	switch b.Jitter {
	case Full:
		return time.Duration(float64(w) * chance)
	case Equal:
		return w/2 + time.Duration(float64(w/2)*chance)
	}
	return w
}

// Ceiling is the longest wait after attempt n.
func (b Backoff) Ceiling(n int) time.Duration {
	w := float64(b.Initial)
	// The cap ends the loop early: a factor above 1 reaches it soon.
	for i := 1; i < n && w < float64(b.Max) && b.Factor > 1; i++ {
		w *= b.Factor
	}
	return time.Duration(min(w, float64(b.Max)))
}
