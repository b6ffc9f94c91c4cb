package check

import (
	"slices"

	"github.com/retrydrill/drill/harness"
)

// approvalBound: an effect of approved arguments was made under a valid approval of
// its action, not under none, a stale, denied or spent one, or another action's.
// Arguments that no approval names at all are left to arguments-bound.
func approvalBound(v *View) (f Finding) {
	for _, e := range v.effects {
		if e.action == nil || e.Kind == harness.Undo || len(e.action.given) == 0 {
			continue
		}
		f.Inspected++
		g := under(e)
		if g != nil && !g.Covered && e.action.root.approved.has(g.Wire) {
			f.breach(e.action.root.name, "an effect under a valid approval of its action", "an approval that does not cover it", g.delivery.Seq, e.seq)
		}
	}
	return f
}

// under is the hand-over by which the effect was made: that of its attempt, if it
// brought these arguments, else the last one before that did.
func under(e *effect) *given {
	at := e.seq
	if e.attempt != nil {
		at = e.attempt.Seq
		if g := e.attempt.given; g != nil && alike(g.WireOf(e.Op), e.Arguments) {
			return g
		}
	}
	brought := e.action.brought(e.Arguments)
	i, _ := slices.BinarySearchFunc(brought, at, func(g *given, seq int) int { return g.delivery.Seq - seq })
	if i == 0 {
		return nil
	}
	return brought[i-1]
}

// brought are the hand-overs of these arguments, or all where none are known.
func (a *action) brought(arguments string) []*given {
	if arguments == "" {
		return a.given
	}
	if a.byWire == nil {
		a.byWire = map[string][]*given{}
		for _, g := range a.given {
			for _, wire := range g.wires {
				a.byWire[wire] = append(a.byWire[wire], g)
			}
		}
	}
	return a.byWire[arguments]
}
