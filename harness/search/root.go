package search

import (
	"strings"

	"github.com/retrydrill/drill/harness"
)

// root is how the workers of a search stand to each other, before any fault: one
// alone, two at once, or a second one at a boundary of the first, which waits there
// until the second is done.
type root struct {
	lines []harness.Fault
	order string
}

func (r root) String() string {
	if len(r.lines) == 0 {
		return "alone"
	}
	words := texts(r.lines)
	if r.order != "" {
		words = append(words, r.order)
	}
	return strings.Join(words, "; ")
}

// roots are the interleavings that the search begins with.
func (e *explorer) roots(base node) []node {
	out := []node{{}}
	if e.Workers < 2 {
		return out
	}
	two := harness.Fault{Where: harness.Where{Point: harness.Deliver, From: 1, To: 1}, Name: "times", N: 2}
	for _, order := range []string{"forward", "reverse"} {
		out = append(out, node{root: root{[]harness.Fault{two}, order}})
	}
	for _, b := range base.run.onward {
		if lines, ok := Beside(b.where); ok {
			out = append(out, node{root: root{lines: lines}})
		}
	}
	carried := out[:0]
	for _, n := range out {
		if e.carries(n.root) {
			carried = append(carried, n)
		}
	}
	return carried
}

func (e *explorer) carries(r root) bool {
	for _, f := range r.lines {
		if e.Carries != nil && !e.Carries(f) {
			e.out.left(f.Kind().Key(), "this world does not carry it out")
			return false
		}
	}
	return true
}

// Beside lets a second worker run from one boundary of the first, which is held there
// until the second reported: one switch from the first to the second and back. It
// reports false where nothing can be held.
func Beside(w harness.Where) ([]harness.Fault, bool) {
	if !w.IsOperation() {
		return nil, false
	}
	second := harness.Where{Point: harness.AtReport, From: 1, To: 1, Worker: 2}
	at, held := w, w
	held.Worker = 1
	return []harness.Fault{
		{Where: harness.Where{Point: harness.Deliver, From: 2, To: 2}, Name: "at", Event: &at},
		{Where: held, Name: "hold", Event: &second},
	}, true
}
