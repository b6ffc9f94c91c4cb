package search

import (
	"context"
	"fmt"
	"strings"

	"github.com/retrydrill/drill/harness"
)

// Repeats carries out a schedule twice, and says how the two runs differed, or nothing.
// The error is the world's.
func Repeats(ctx context.Context, w harness.World, s harness.Schedule) (differs string, err error) {
	var runs [2][]act
	for i := range runs {
		h, err := w.Run(ctx, s)
		if err != nil {
			return "", err
		}
		runs[i] = stepsOf(h, 0)
		harness.Reuse(w, h)
	}
	return differ(runs[0], runs[1]), nil
}

// strays says how a run with one fault differed from the one without, before the fault
// struck: until then the two are one, and an executor that goes another way does not do
// the same each time, also where the two runs without a fault happened to be alike. What
// differs once may be a slow machine's doing; it is told where a second run differs, too.
func (e *explorer) strays(ctx context.Context, h *harness.History, n node) (string, error) {
	if e.unstable || !comparable(n) {
		return "", nil
	}
	how := e.parts(h, n)
	if how == "" {
		return "", nil
	}
	again, _, _, err := through(ctx, e.World, e.schedule(n), e.Deliveries)
	if err != nil {
		return "", err
	}
	if e.parts(again, n) == "" {
		how = ""
	}
	harness.Reuse(e.World, again)
	return how, nil
}

// comparable reports whether a run begins as the one without a fault does: one worker at
// the plain target, and no line that changes what is handed over from the start on, or
// after the end.
func comparable(n node) bool {
	if n.root.String() != alone || len(n.faults) != 1 {
		return false
	}
	w := n.faults[0].Where
	return w.Point != harness.AtEvent && w.Point != harness.Deliver
}

// parts says where a run parts from the one without a fault before its own struck, or
// nothing. One of which the fault never struck is that run.
func (e *explorer) parts(h *harness.History, n node) string {
	at := struckAt(h, n.faults[0])
	mine := stepsOf(h, at)
	same := 0
	for same < min(len(mine), len(e.plain)) && mine[same] == e.plain[same] {
		same++
	}
	if same == len(mine) && (at > 0 || same == len(e.plain)) {
		return ""
	}
	plain := e.plain
	if at > 0 {
		plain = plain[:min(len(plain), len(mine))]
	}
	return fmt.Sprintf("before %s, %s", strings.Join(n.words(), "; "), differ(plain, mine))
}
