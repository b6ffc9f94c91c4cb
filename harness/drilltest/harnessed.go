package drilltest

import (
	"context"
	"slices"
	"testing"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/sim"
	"github.com/retrydrill/drill/harness/suite"
	"github.com/retrydrill/drill/harness/wire"
	"github.com/retrydrill/drill/targets"
)

// harnessed is an executor with its world and its fault-free schedule.
type harnessed struct {
	options suite.Options
	virtual bool
	profile *targets.Profile
	base    harness.Schedule
}

// harness opens the world of one test; a process that is a worker ends here.
func (o Options) harness(t *testing.T) harnessed {
	t.Helper()
	o.child()
	h, err := o.prepare()
	if err != nil {
		t.Fatalf("drill: %v", err)
	}
	h.options.World = o.open(t, h.profile)
	return h
}

// prepare is all of it but the world.
func (o Options) prepare() (harnessed, error) {
	s, p, err := o.suite()
	if err != nil {
		return harnessed{}, err
	}
	base, err := s.Base()
	return harnessed{s, o.virtual(p), p, base}, err
}

// ready refuses an executor that can not be judged, as Run does.
func (h harnessed) ready(t *testing.T) {
	t.Helper()
	if err := h.options.Judgeable(context.Background()); err != nil {
		t.Fatal(h.refusal(err))
	}
}

// begin says whether the executor does the same twice, and runs first what failed
// before.
func (h harnessed) begin(t *testing.T) {
	t.Helper()
	if w, is := h.options.World.(twice); is {
		// What goes wrong without a fault the control tells.
		if first, err := h.options.World.Run(context.Background(), h.base); err == nil {
			if how := w.differs(context.Background(), first); how != "" {
				t.Log("drill: " + notReproducible + how)
			}
		}
	}
	again(t, h.options)
}

// carries leaves out what the world does not carry, and the death of what runs inside
// this process.
func (h harnessed) carries(f harness.Fault) bool {
	if h.virtual {
		return slices.Contains(sim.Carried(), f.Kind().Key())
	}
	return slices.Contains(wire.Carried(), f.Kind().Key())
}
