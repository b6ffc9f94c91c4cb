package receipt

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/retrydrill/drill/harness"
)

// Ruling is what a person found out about a receipt that needs one.
type Ruling struct {
	// As is one of [Rulings].
	As string `json:"as"`
	// Resource is the target's ID of the effect, of a confirmed one alone.
	Resource string `json:"resource_id,omitempty"`
	// By and Reason say who decided, and from what.
	By     string `json:"by"`
	Reason string `json:"reason"`
	// Found is why the receipt needed a person.
	Found string    `json:"found,omitempty"`
	At    time.Time `json:"at"`
}

// Rulings lists what a person can find, and the state to which that leads.
var Rulings = []struct {
	As  string
	To  State
	Doc string
}{
	{"confirmed", Confirmed, "the target holds the effect, under the resource that is named"},
	{"rejected", Rejected, "nothing was done, and nothing is to be"},
	{"absent", Approved, "nothing was done, and it is still wanted: its next delivery sends it once more, under the same ID"},
}

// RulingNames lists the words of [Rulings].
func RulingNames() []string {
	out := make([]string, len(Rulings))
	for i, r := range Rulings {
		out[i] = r.As
	}
	return out
}

// ErrNotForPerson is returned where a receipt does not wait for a person.
var ErrNotForPerson = errors.New("only what needs review is for a person to decide")

// longest is how many bytes a name or a reason may have.
const longest = 1000

// Ruled returns the receipt as a person decided it, to be stored by compare-and-set. A
// key under which the target replays a failure gives way to the next one, since a
// person's look is the proof of absence that this takes.
func (r Receipt) Ruled(v Ruling) (Receipt, error) {
	i := slices.Index(RulingNames(), v.As)
	switch {
	case i < 0:
		return r, fmt.Errorf("%q is no decision: expected one of %s", v.As, strings.Join(RulingNames(), ", "))
	case r.State != NeedsReview:
		return r, fmt.Errorf("%w: %s is %s", ErrNotForPerson, r.ActionID, r.State)
	case (v.Resource != "") != (v.As == string(Confirmed)):
		return r, fmt.Errorf("a resource is %q for %s: it is named where the effect is confirmed, and there alone", v.Resource, v.As)
	}
	for _, text := range []struct{ of, is string }{{"who decides", v.By}, {"the reason", v.Reason}} {
		if err := sentence(text.is); err != nil {
			return r, fmt.Errorf("%s: %w", text.of, err)
		}
	}
	if v.Resource != "" {
		if err := sentence(v.Resource); err != nil {
			return r, fmt.Errorf("the resource: %w", err)
		}
	}
	v.Found = because(r)
	r.Rulings = append(slices.Clip(r.Rulings), v)
	r.ErrorClass, r.Detail = "", ""
	switch to := Rulings[i].To; {
	case to == Confirmed:
		r.Resource, r.Class = v.Resource, harness.Confirmed
	case to == Rejected:
		r.ErrorClass, r.Detail = harness.ClosedByPerson, fmt.Sprintf("%s decided: %s", v.By, v.Reason)
	case r.Key.Poisoned:
		r.Key = Key{Generation: r.Key.Generation + 1}
	}
	return r.To(Rulings[i].To, v.At).Released(), nil
}

// sentence refuses what is not one line that a person could have written.
func sentence(s string) error {
	switch {
	case strings.TrimSpace(s) == "":
		return errors.New("it is empty")
	case len(s) > longest:
		return fmt.Errorf("it has %d bytes: expected at most %d", len(s), longest)
	case strings.ContainsFunc(s, unicode.IsControl):
		return errors.New("it has a control character: expected one line")
	}
	return nil
}

// ruledTo reports whether the last entry is a person's.
func (r *Receipt) ruledTo() bool {
	if len(r.Rulings) == 0 || len(r.History) == 0 {
		return false
	}
	v, e := r.Rulings[len(r.Rulings)-1], r.History[len(r.History)-1]
	i := slices.Index(RulingNames(), v.As)
	return i >= 0 && Rulings[i].To == r.State && e.State == r.State && e.At.Equal(v.At)
}
