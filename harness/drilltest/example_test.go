package drilltest_test

import (
	"testing"

	"github.com/retrydrill/drill/harness/drilltest"
)

// One subtest a scenario, against the fake of Stripe's refunds, under virtual time.
func ExampleRun() {
	tested(func(t *testing.T) {
		drilltest.Run(t, drilltest.Options{Target: "stripe-v1", New: refunds{key: actionID}.worker,
			Abilities: map[string]bool{"checks-approval": false, "waits": false}, Scenarios: []string{"lost-answer", "dies-after-commit"}})
	})
	// Output: ok
}

// A real process, and a real SIGKILL, wherever a scenario kills the worker.
func ExampleRun_isolate() {
	_ = func(t *testing.T) {
		drilltest.Run(t, drilltest.Options{Target: "stripe-v1", New: refunds{key: actionID}.worker, Isolate: true})
	}
}

// Every fault at every boundary of a run; with Depth 2 every pair, too.
func ExampleExplore() {
	tested(func(t *testing.T) {
		drilltest.Explore(t, drilltest.Options{New: refunds{key: actionID}.worker, Abilities: plain}, drilltest.Space{Depth: 1})
	})
	// Output: ok
}

// A worker of any language, over the wire.
func ExampleExplore_command() {
	_ = func(t *testing.T) {
		drilltest.Explore(t, drilltest.Options{Command: []string{"python3", "worker.py"}}, drilltest.Space{Depth: 2})
	}
}

// Schedules drawn by rapid; what fails is made small. -rapid.checks says how many.
func ExampleCheck() {
	tested(func(t *testing.T) {
		drilltest.Check(t, drilltest.Options{New: refunds{key: actionID}.worker, Abilities: plain})
	})
	// Output: ok
}

// Schedules drawn by the fuzzer: go test -fuzz FuzzRefunds.
func ExampleMakeFuzz() {
	_ = func(f *testing.F) {
		f.Fuzz(drilltest.MakeFuzz(f, drilltest.Options{New: refunds{key: actionID}.worker}))
	}
}
