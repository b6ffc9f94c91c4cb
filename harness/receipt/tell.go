package receipt

import (
	"fmt"
	"strings"
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
	switch r.State {
	case Confirmed:
		return Told{Yes, fmt.Sprintf("done once, known since %s: the target calls it %s; %s%s", at(r), name(r.Resource), requests(r, "was sent", "were sent"), byWhom(r)),
			"nothing: whoever asks again is given this result"}
	case Rejected:
		return Told{No, fmt.Sprintf("nothing was done, known since %s (%s); %s", at(r), because(r), requests(r, "was sent", "were sent")),
			"if it is still wanted, let it be approved anew under the same action ID"}
	case Prepared, Approved:
		return Told{No, fmt.Sprintf("nothing is under way; %s%s", requests(r, "was sent and did nothing", "were sent and did nothing"), byWhom(r)),
			"its next delivery sends it; if none can come any more, drill receipts sweep closes it"}
	case Sent:
		return Told{Maybe, fmt.Sprintf("a request left at %s, or was about to, and no answer is recorded; %s", at(r), requests(r, "may have left in all", "may have left in all")),
			"do not send it by hand: drill receipts sweep, or its next delivery, asks the target"}
	case NeedsReview:
		return Told{Maybe, fmt.Sprintf("a person has to decide since %s, the evidence is ambiguous (%s); %s", at(r), because(r), requests(r, "may have left", "may have left")),
			fmt.Sprintf("do not send it by hand: look at the target for %s, the reference %s and the key %s; then drill receipts decide %s --as %s",
				r.BusinessKey, r.ActionID, r.KeyText(), r.ActionID, strings.Join(RulingNames(), "|"))}
	}
	return Told{Maybe, fmt.Sprintf("the outcome is unknown since %s; %s", at(r), requests(r, "may have left", "may have left")),
		"do not send it by hand: drill receipts sweep, or its next delivery, asks the target"}
}

// requests says how many there were, and what became of one or several.
func requests(r Receipt, one, several string) string {
	switch r.Attempt {
	case 0:
		return "no request was sent"
	case 1:
		return "1 request " + one
	}
	return fmt.Sprintf("%d requests %s", r.Attempt, several)
}

// at is when the receipt came into its state.
func at(r Receipt) string {
	when := r.Last(r.State)
	if when.IsZero() {
		return "an unknown time"
	}
	return when.UTC().Format("2006-01-02 15:04:05 UTC")
}

// byWhom tells whose word the state rests on, where it is a person's.
func byWhom(r Receipt) string {
	if !r.ruledTo() {
		return ""
	}
	v := r.Rulings[len(r.Rulings)-1]
	return fmt.Sprintf("; %s decided: %s", v.By, v.Reason)
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
