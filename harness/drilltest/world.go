package drilltest

import (
	"os"
	"testing"

	"github.com/retrydrill/drill/fakes"
	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/wire"
	"github.com/retrydrill/drill/harness/worker"
	"github.com/retrydrill/drill/targets"
)

// wireName is what schedules call the world of real sockets.
const wireName = "wire"

// open opens the world of one test.
func (o Options) open(t *testing.T, p *targets.Profile) harness.World {
	t.Helper()
	var w harness.World
	if o.virtual(p) {
		w = Bubbles(t, fakes.Of(p), map[string]worker.New{workerName: o.New})
	} else {
		w = o.openWire(t, p)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Errorf("drill: %v", err)
		}
	})
	return w
}

// openWire opens the world of real sockets and processes.
func (o Options) openWire(t *testing.T, p *targets.Profile) *wire.World {
	t.Helper()
	executors := map[string]worker.New{workerName: o.New}
	w, err := wire.New(wire.Options{Target: fakes.Of(p), Builtins: executors, Funcs: executors, Dir: t.TempDir(), Self: []string{"-test.run=^" + rooted(t) + "$"}})
	if err != nil {
		t.Fatalf("drill: %v", err)
	}
	return w
}

// child does the work of a worker and ends, where this process is one.
func (o Options) child() {
	if o.New == nil {
		return
	}
	if exit, is := worker.Child(map[string]worker.New{workerName: o.New}); is {
		os.Exit(exit)
	}
}
