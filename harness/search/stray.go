package search

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/retrydrill/drill/harness"
)

// Repeats carries out a schedule twice, and says how the two runs were to each other. The
// error is the world's.
func Repeats(ctx context.Context, w harness.World, s harness.Schedule) (Likeness, error) {
	var runs [2][]act
	for i := range runs {
		h, err := w.Run(ctx, s)
		if err != nil {
			return Likeness{}, err
		}
		runs[i] = stepsOf(h, 0)
		harness.Reuse(w, h)
	}
	return compare(runs[0], runs[1]), nil
}

// strays says how a run with one fault at most was to the one without, before the fault
// struck: until then the two are one, and an executor that goes another way does not do
// the same each time, also where the two runs without a fault happened to be alike. What
// differs once may be a slow machine's doing; it is told where a second run differs, too.
func (e *explorer) strays(ctx context.Context, h *harness.History, n node) (Likeness, error) {
	if e.plain == nil || !beginsAlike(n) {
		return Likeness{Stable: true}, nil
	}
	first := e.parts(h, n)
	if first.Stable {
		return first, nil
	}
	again, _, _, err := through(ctx, e.World, e.schedule(n), e.Deliveries)
	if err != nil {
		return Likeness{}, err
	}
	second := e.parts(again, n)
	harness.Reuse(e.World, again)
	if second.Stable {
		return second, nil
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
