package deliver

import (
	"time"

	"github.com/retrydrill/drill/harness"
)

// Hand is one hand-over that is due.
type Hand struct {
	Message *Message
	// Worker is the slot that gets it; Delivery numbers the hand-overs of the trial.
	Worker, Delivery int
	// Again counts the hand-overs of the message's trigger, as a queue would: this is
	// what the worker is told.
	Again int
	// Lines are the schedule's deliver lines that this hand-over carries out.
	Lines []*harness.Fault
	// How lists all lines of the delivery, as the history tells them.
	How []string
	// Together are the workers that get it at once, told with the first of them; else nil.
	Together []int
	// began is when it was handed over.
	began time.Duration
	// ended: it has.
	ended bool
}

// Has reports whether the hand-over carries out a line of this name.
func (h *Hand) Has(name string) bool { return find(h.Lines, name) != nil }

// Over lets go of an answer that waits for the end of this hand-over. It comes after
// what End returned is recorded, so that a history has the two in their order.
func (h *Hand) Over() {
	if m := h.Message; m.over != nil {
		close(m.over)
		m.over = nil
	}
}

// newHand returns one, of an earlier trial where there is one left.
func (q *Queue) newHand(h Hand) *Hand {
	if len(q.hands) < cap(q.hands) {
		q.hands = q.hands[:len(q.hands)+1]
	} else {
		q.hands = append(q.hands, nil)
	}
	at := &q.hands[len(q.hands)-1]
	if *at == nil {
		*at = &Hand{}
	}
	**at = h
	return *at
}

// find returns the first line of a name, or nil.
func find(lines []*harness.Fault, name string) *harness.Fault {
	for _, f := range lines {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// how are the lines as the history tells them.
func how(lines []*harness.Fault) []string {
	if len(lines) == 0 {
		return nil
	}
	out := make([]string, 0, len(lines))
	for _, f := range lines {
		out = append(out, f.Line())
	}
	return out
}
