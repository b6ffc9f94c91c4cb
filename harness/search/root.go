package search

import (
	"strings"

	"github.com/retrydrill/drill/harness"
)

// root is what a search begins from, before any fault: how the workers stand to each
// other (one alone, several at once, or a second one at a boundary of the first, which
// waits there until the second is done), or one alone at a target that is as it may be.
type root struct {
	lines []harness.Fault
	order string
	// condition is what the target is, or empty.
	condition string
	settings  harness.Settings
}

// alone reports whether it is one worker at the plain target.
func (r root) alone() bool { return len(r.lines) == 0 && r.order == "" && r.condition == "" }

func (r root) String() string {
	words := harness.Lines(r.lines)
	if r.order != "" {
		words = append(words, r.order)
	}
	if r.condition != "" {
		words = append(words, r.condition)
	}
	if len(words) == 0 {
		return "alone"
	}
	return strings.Join(words, "; ")
}

// roots are the interleavings that the search begins with.
func (e *explorer) roots(base node) []node {
	all := []root{{}}
	for n := 2; n <= e.Workers; n++ {
		at := harness.Fault{Where: harness.Where{Point: harness.Deliver, From: 1, To: 1}, Name: "times", N: n}
		for _, order := range []string{"forward", "reverse"} {
			all = append(all, root{lines: []harness.Fault{at}, order: order})
		}
	}
	if e.Workers > 1 {
		for _, b := range base.run.onward {
			if lines, ok := Beside(b.where); ok {
				all = append(all, root{lines: lines})
			}
		}
	}
	var out []node
	for i, r := range all {
		if e.carries(r) {
			out = append(out, node{root: r, at: []int{i}})
		}
	}
	return out
}

func (e *explorer) carries(r root) bool {
	for _, f := range r.lines {
		why := ""
		switch {
		case e.Carries != nil && !e.Carries(f):
			why = uncarried
		case e.Refuses != nil:
			why = e.Refuses(f)
		}
		if why != "" {
			e.out.left(f.Kind().Key(), why)
			return false
		}
	}
	return true
}

// conditions are the targets at which one worker is tried beside the plain one; each
// counts as a fault does.
func (e *explorer) conditions() []node {
	var out []node
	for i, c := range Conditions {
		if e.Schedule.Settings != (harness.Settings{}) {
			break
		}
		s, why := c.make(e.space)
		if why != "" {
			e.out.left(c.Name, why)
			continue
		}
		n := node{root: root{condition: c.Name, settings: s}, at: []int{-1, i}}
		if !e.mine(n.root.String()) {
			e.out.Elsewhere++
			continue
		}
		out = append(out, n)
	}
	return out
}

// Beside lets a second worker run from one boundary of the first, which is held there
// until the second reported: one switch from the first to the second and back. It
// reports false where nothing can be held.
func Beside(w harness.Where) ([]harness.Fault, bool) {
	if !w.IsOperation() && w.Point != harness.Record {
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
