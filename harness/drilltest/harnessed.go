package drilltest

import (
	"slices"
	"testing"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/suite"
	"github.com/retrydrill/drill/harness/wire"
	"github.com/retrydrill/drill/targets"
)

// harnessed is an executor with its world and its fault-free schedule.
type harnessed struct {
	options suite.Options
	profile *targets.Profile
	base    harness.Schedule
}

// harness opens the world of one test; a process that is a worker ends here.
func (o Options) harness(t *testing.T) harnessed {
	t.Helper()
	o.child()
	s, p, err := o.suite()
	if err != nil {
		t.Fatalf("drill: %v", err)
	}
	s.World = o.open(t, p)
	base, err := s.Base()
	if err != nil {
		t.Fatalf("drill: %v", err)
	}
	return harnessed{s, p, base}
}

// carries leaves out what the world does not carry, and the death of what runs inside
// this process.
func (h harnessed) carries(f harness.Fault) bool {
	return slices.Contains(wire.Carried(), f.Kind().Key())
}
