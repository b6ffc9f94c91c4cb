package check

import (
	"maps"
	"slices"
	"strings"

	"github.com/retrydrill/drill/harness"
)

// delivery is one hand-over.
type delivery struct {
	*harness.Event
	acked     bool
	end, nack string
}

// elsewhere: it was made to another machine, with an empty state directory.
func (d *delivery) elsewhere() bool {
	return d.Deliver != nil && slices.ContainsFunc(d.Deliver.How, func(line string) bool { return strings.HasSuffix(strings.TrimSuffix(line, "?"), " elsewhere") })
}

// given is one action as one hand-over brought it.
type given struct {
	*harness.DeliveredAction
	delivery *delivery
	// wires are the digests of what it brought, as the profile reads them at any step.
	wires []string
}

// read fills in the wires.
func (g *given) read() {
	g.wires = append(g.wires[:0], g.Wire)
	if len(g.Wires) == 0 {
		return
	}
	for _, op := range slices.Sorted(maps.Keys(g.Wires)) {
		if w := g.Wires[op]; !slices.Contains(g.wires, w) {
			g.wires = append(g.wires, w)
		}
	}
}

// covered: a valid approval covered what this hand-over brought, as far as is known.
func (g *given) covered() bool { return g == nil || g.Covered }

// consent is the approval that came with a hand-over, as far as it can differ.
type consent struct {
	brought    bool
	status, id string
}

func (g *given) consent() consent {
	if g == nil {
		return consent{}
	}
	return consent{true, g.Approval.Status, g.Approval.ID}
}

// failed: the delivery ended in a way that lets its reports not count (an exit
// status other than 0, a death).
func (d *delivery) failed() bool {
	if d == nil || d.acked {
		return false
	}
	if strings.Contains(d.nack, "was killed") {
		return true
	}
	return d.end != "" && d.end != "exit 0" && d.end != "returned"
}

// notice: it brought what the target told by itself, and no action.
func (d *delivery) notice() bool { return d != nil && d.Deliver != nil && d.Deliver.Event != nil }

// died: the worker was ended by a signal, or as the sim does that.
func (d *delivery) died() bool { return d.end == "killed" || strings.HasPrefix(d.end, "signal ") }
