package search

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/retrydrill/drill/harness"
)

// Repeats carries out a schedule twice, and says how the two runs were to each other.
// Where the machine was slow in one of them, both are carried out again with longer
// deadlines. The error is the world's.
func Repeats(ctx context.Context, w harness.World, s harness.Schedule) (l Likeness, err error) {
	err = patiently(s.Limits, func(limits harness.Limits) (slow bool, err error) {
		s.Limits = limits
		var runs [2][]act
		for i := range runs {
			h, j, err := Judged(ctx, w, s)
			if err != nil {
				return false, err
			}
			runs[i], slow = stepsOf(h, 0), slow || j.Late > 0
			harness.Reuse(w, h)
		}
		l = compare(runs[0], runs[1])
		return slow, nil
	})
	return l, err
}

// patiently does something again with longer deadlines, as long as the machine was slow
// in it and there are any.
func patiently(limits harness.Limits, do func(harness.Limits) (slow bool, err error)) error {
	slow, err := do(limits)
	for _, n := range harness.Patience {
		if err != nil || !slow {
			break
		}
		slow, err = do(limits.Scaled(n))
	}
	return err
}

// strays says how a run with one fault at most was to the one without, before the fault
// struck: until then the two are one, and an executor that goes another way does not do
// the same each time, also where the two runs without a fault happened to be alike. What
// differs once may be a slow machine's doing; it is told where a second run differs, too,
// with longer deadlines where the machine was slow in that one.
func (e *explorer) strays(ctx context.Context, h *harness.History, n node) (Likeness, error) {
	if e.plain == nil || !beginsAlike(n) {
		return Likeness{Stable: true}, nil
	}
	first := e.parts(h, n)
	if first.Stable {
		return first, nil
	}
	s := e.schedule(n)
	var second Likeness
	err := patiently(s.Limits, func(limits harness.Limits) (slow bool, err error) {
		s.Limits = limits
		again, j, _, err := through(ctx, e.World, s, e.Deliveries)
		if err != nil {
			return false, err
		}
		second = e.parts(again, n)
		harness.Reuse(e.World, again)
		return !second.Stable && j.Late > 0, nil
	})
	if err != nil || second.Stable {
		return second, err
	}
	return first, nil
}

// beginsAlike reports whether a run begins as the one without a fault does: one worker at
// the plain target, and no line that changes what is handed over from the start on, or
// after the end.
func beginsAlike(n node) bool {
	if len(n.faults) > 1 || !n.root.alone() {
		return false
	}
	return !slices.ContainsFunc(n.faults, func(f harness.Fault) bool {
		return f.Where.Point == harness.AtEvent || f.Where.Point == harness.Deliver
	})
}

// parts holds a run against the one without a fault, before its own struck. One of which
// the fault never struck is that run.
func (e *explorer) parts(h *harness.History, n node) Likeness {
	at := 0
	for _, f := range n.faults {
		at = struckAt(h, f)
	}
	plain, mine := e.plain, stepsOf(h, at)
	if at > 0 {
		plain = plain[:min(len(plain), len(mine))]
	}
	l := compare(plain, mine)
	if !l.Stable && len(n.faults) > 0 {
		l.Differs = fmt.Sprintf("before %s, %s", strings.Join(n.words(), "; "), l.Differs)
	}
	return l
}
