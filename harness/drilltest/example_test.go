package drilltest_test

import (
	"testing"

	"github.com/retrydrill/drill/harness/drilltest"
)

// One subtest a scenario, against the fake of Stripe's refunds; where a scenario kills
// the worker, it runs as a process of its own.
func ExampleRun() {
	_ = func(t *testing.T) {
		drilltest.Run(t, drilltest.Options{Target: "stripe-v1", New: refunds{key: actionID}.worker, Isolate: true})
	}
}

// Every fault at every boundary of a run, then every pair.
func ExampleExplore() {
	_ = func(t *testing.T) {
		drilltest.Explore(t, drilltest.Options{Command: []string{"python3", "worker.py"}}, drilltest.Space{Depth: 2})
	}
}

// Schedules drawn by rapid; what fails is made small.
func ExampleCheck() {
	_ = func(t *testing.T) {
		drilltest.Check(t, drilltest.Options{New: refunds{key: actionID}.worker, Isolate: true})
	}
}

// Schedules drawn by the fuzzer: go test -fuzz FuzzRefunds.
func ExampleMakeFuzz() {
	_ = func(f *testing.F) {
		f.Fuzz(drilltest.MakeFuzz(f, drilltest.Options{New: refunds{key: actionID}.worker}))
	}
}
