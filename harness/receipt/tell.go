package receipt

import (
	"fmt"
	"time"
)

// Told answers, from a receipt alone, what an operator asks at night.
type Told struct {
	// Done is yes, no or maybe: whether the target holds the effect.
	Done Certainty `json:"done"`
	// Answer is the sentence behind it, Next what to do.
	Answer string `json:"answer"`
	Next   string `json:"next"`
}

// Certainty is how sure an answer is.
type Certainty string

// The answers.
const (
	Yes   Certainty = "yes"
	No    Certainty = "no"
	Maybe Certainty = "maybe"
)

// Tell reads a receipt for a person, at a time on the executors' clock.
func Tell(r Receipt, now time.Time) Told {
	t := tellState(r)
	if r.Held(now) {
		t.Next = fmt.Sprintf("nothing: %s is at work on it until %s; ask again then", r.Owner, r.LeaseUntil.UTC().Format(time.RFC3339))
	}
	return t
}

func tellState(r Receipt) Told {
	requests := plural(r.Attempt, "request")
	switch r.State {
	case Confirmed:
		return Told{Yes, fmt.Sprintf("done once: the target calls it %s, %s left", name(r.Resource), requests),
			"nothing: whoever asks again is given this result"}
	case Rejected:
		return Told{No, fmt.Sprintf("nothing was done (%s), %s left", because(r), requests),
			"if it is still wanted, let it be approved anew under the same action ID"}
	case Prepared, Approved:
		return Told{No, fmt.Sprintf("no request is out; %s left before and did nothing", requests),
			"its next delivery sends it; if none can come any more, drill receipts sweep closes it"}
	case Sent:
		return Told{Maybe, fmt.Sprintf("a request left and its answer was never recorded, %s in all", requests),
			"do not send it by hand: drill receipts sweep, or its next delivery, asks the target"}
	case NeedsReview:
		return Told{Maybe, fmt.Sprintf("the evidence is ambiguous (%s), %s left", because(r), requests),
			"do not send it by hand: look at the target for the reference and the business key above, and decide there"}
	}
	return Told{Maybe, fmt.Sprintf("the outcome is unknown, %s left", requests),
		"do not send it by hand: drill receipts sweep, or its next delivery, asks the target"}
}

func name(resource string) string {
	if resource == "" {
		return "by no ID"
	}
	return resource
}

func because(r Receipt) string {
	switch {
	case r.Detail != "":
		return r.Detail
	case r.ErrorClass != "":
		return r.ErrorClass
	}
	return "no reason is recorded"
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
