package drilltest

import (
	"os"
	"testing"

	"github.com/retrydrill/drill/fakes"
	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/tap"
	"github.com/retrydrill/drill/harness/wire"
	"github.com/retrydrill/drill/harness/worker"
	"github.com/retrydrill/drill/targets"
)

// open opens the world of real sockets and processes for one test.
func (o Options) open(t *testing.T, p *targets.Profile) *wire.World {
	t.Helper()
	executors := map[string]worker.New{workerName: o.New}
	w, err := wire.New(wire.Options{Target: fakeOf(p), Builtins: executors, Funcs: executors, Dir: t.TempDir(), Self: []string{"-test.run=^" + rooted(t) + "$"}})
	if err != nil {
		t.Fatalf("drill: %v", err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Errorf("drill: %v", err)
		}
	})
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

// fakeOf makes each trial a fake of its own.
func fakeOf(p *targets.Profile) func(harness.Schedule, tap.TargetEnv) (*tap.Target, error) {
	return func(s harness.Schedule, env tap.TargetEnv) (*tap.Target, error) {
		f, err := fakes.New(p, fakes.Options{Token: env.Token, Now: env.Now, Sleep: env.Sleep, Start: env.Now(), Seed: s.Seed,
			Settings: s.Settings, Limits: s.Limits, Action: s.Actions[0]})
		if err != nil {
			return nil, err
		}
		return &tap.Target{Handler: f, Namer: p.Namer(), Promises: p.Promises(), Effects: f.Effects, Watch: f.Watch, Tell: f.Tell, Pending: f.Pending, Close: f.Close}, nil
	}
}
