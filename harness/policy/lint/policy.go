package lint

import (
	"slices"
	"time"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/policy"
)

// Place is where something stands in the document; both count from 1.
type Place struct {
	Line   int `json:"line"`
	Column int `json:"column"`
}

// Said is what a document says about a question that it may leave open.
type Said int

// What is not said is not held against a document.
const (
	Unsaid Said = iota
	No
	Yes
)

// Policy is the common form: one set of rules about repeating, out of one document.
type Policy struct {
	// Name tells several of one document apart, like "methodConfig 2".
	Name string
	Place
	// Repeats lists what is repeated by itself. Nothing here is nothing repeated.
	Repeats []Repeat
	// Attempts bounds all attempts, the first included; 0 is no bound.
	Attempts int
	// AttemptsAt is where that stands, or where it is missing.
	AttemptsAt Place
	// Budget bounds the time over all attempts; 0 is no bound.
	Budget   time.Duration
	BudgetAt Place
	// Resumes: a delivery that comes again goes on with the attempts, however late.
	Resumes bool
	// TakesBack: whoever follows it takes back the steps before one that was refused.
	TakesBack bool
	// Bounded: something that the document does not show bounds the attempts, beside those
	// at the classes of Endless.
	Bounded bool
	// Endless are the classes after which the request is sent again, and which have no bound
	// of their own.
	Endless []harness.Class
	// Attempt bounds the time of one attempt, where that is said.
	Attempt time.Duration
	Backoff Backoff
	// RetryAfter: the target's own wish is followed.
	RetryAfter   Said
	RetryAfterAt Place
	// Hedges: a second copy is sent while the first is under way.
	Hedges   bool
	HedgesAt Place
	// Overrides are the classes that the document itself gives to answers.
	Overrides []Override
	// Ends are answers that the document itself files as refused for good, and stops at.
	Ends []Override
	// InDoubt are answers that the document itself files as unknown.
	InDoubt []Override
	// EndsForNow is the bound by which the first refusal for now is the last, where there
	// is one.
	EndsForNow []Review
	// StopsForNow is the move by which a refusal for now is an end, where there is one.
	StopsForNow []Review
	// Reconciles: after an unknown outcome the target is looked at, and what is not
	// there is sent again.
	Reconciles bool
	// Reviews are the outcomes that a person is given to decide.
	Reviews []Review
	// Blind are the unknown outcomes that are repeated and never looked up, by an executor
	// that has no other rule than this document.
	Blind []Review
	// Unsent are the ways in which what never left is filed as an end.
	Unsent []Review
	// GivesUp: an unknown outcome is filed as an end, without a look.
	GivesUp   bool
	GivesUpAt Place
}

// Override is a class that a document gives to an answer.
type Override struct {
	policy.Override
	Place
}

// Backoff is how far apart attempts are.
type Backoff struct {
	// Waits: there is a wait at all.
	Waits  Said
	Jitter Said
	// Curve is the wait in numbers, where it is known.
	Curve policy.Backoff
	Place
}

// Repeat is one thing after which the request is sent again without a look.
type Repeat struct {
	// What is the document's own word for it.
	What string
	Place
	// Statuses and Mishaps are the evidence that the word stands for.
	Statuses []int
	Mishaps  []string
	// Class is what the evidence means where neither a status nor a mishap is known:
	// a gRPC code, a class, "every error".
	Class harness.Class
	// Everything: also what can never succeed is repeated.
	Everything bool
	// Asked: the answers may say when to come back (a class stands for them).
	Asked bool
	// OnlyIdempotent: methods that are not idempotent by RFC 9110 are left out.
	OnlyIdempotent bool
}

// Review is an outcome that a document hands to a person.
type Review struct {
	// What is the document's own word for it.
	What string
	Place
	Class harness.Class
}

// Target is what is known of the API at the other end; nil is nothing.
type Target = harness.Promises

// status is the class of a status without a body that could tell more: the target's
// where there is one, else what RFC 9110, 15 says of it; a 5xx is unknown.
func status(t *Target, code int) harness.Class {
	if t != nil {
		return t.ClassOf(code, &harness.Answered{})
	}
	switch {
	case code >= 200 && code < 300:
		return harness.Confirmed
	case code == 429:
		return harness.RejectedTransient
	case code == 408 || code == 409 || code == 425 || code == 423:
		return harness.Unknown
	case code >= 400 && code < 500:
		return harness.RejectedPermanent
	}
	return harness.Unknown
}

// means lists the classes that the evidence may have.
func (r Repeat) means(t *Target) map[harness.Class]string {
	out := map[harness.Class]string{}
	add := func(c harness.Class, why string) {
		if out[c] == "" {
			out[c] = why
		}
	}
	for _, s := range r.Statuses {
		add(status(t, s), "status "+itoa(s))
	}
	for _, id := range r.Mishaps {
		if m, ok := policy.FindMishap(id); ok {
			add(m.Class, m.Doc)
		}
	}
	if r.Class != "" {
		add(r.Class, r.What)
	}
	return out
}

// harmless reports whether the target makes a repeat of the same request harmless,
// while its key is kept.
func harmless(t *Target) bool { return t != nil && t.OffersCopies() }

// longest is how long after the first attempt the last one may leave; false where
// nothing says so.
func (p Policy) longest() (time.Duration, bool) {
	switch {
	case p.Budget > 0:
		return p.Budget, true
	case p.Resumes:
		return longestSpan, true
	}
	if p.Attempts == 0 || p.Backoff.Waits == Unsaid {
		return 0, false
	}
	var sum time.Duration
	for n := 1; n < p.Attempts && n <= 1000; n++ {
		if sum += p.Backoff.Curve.Ceiling(n) + p.Attempt; sum > longestSpan {
			return longestSpan, true
		}
	}
	return sum, true
}

// risky reports whether what is repeated may have had an effect: after an answer that
// proves that nothing was done, the next request is the first that counts. That a
// confirmed effect is repeated is a finding of its own, however soon.
func (p Policy) risky(t *Target) bool {
	if p.Hedges {
		return true
	}
	for _, r := range p.Repeats {
		means := r.means(t)
		if means[harness.Unknown] != "" || r.Everything {
			return true
		}
	}
	return false
}

// repeats reports whether anything is sent twice.
func (p Policy) repeats() bool { return (len(p.Repeats) > 0 || p.Hedges) && p.Attempts != 1 }

// takesBack reports whether what a step made is taken back once a later one is refused.
// What the last step made is not: nothing comes after it.
func (p Policy) takesBack(t *Target) bool {
	return p.TakesBack && t != nil && len(t.Steps) > 0 &&
		slices.ContainsFunc(t.Steps[:len(t.Steps)-1], func(s harness.Step) bool { return s.Undo != "" })
}
