package drilltest

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"pgregory.net/rapid"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/check"
	"github.com/retrydrill/drill/harness/report"
	"github.com/retrydrill/drill/harness/search"
	"github.com/retrydrill/drill/harness/search/random"
	"github.com/retrydrill/drill/harness/suite"
	"github.com/retrydrill/drill/targets"
)

// Check draws schedules with rapid until one is unsafe or rapid has had enough
// (-rapid.checks, -rapid.seed). What fails is made small by drill, not by rapid: a
// schedule is data, and drill knows what a smaller one is. Real sockets and time make
// a check take milliseconds, a killed process more: -rapid.checks=30 is a good begin.
func Check(t *testing.T, o Options) {
	t.Helper()
	d := o.drawn(t)
	d.begin(t)
	quiet := &recorder{TB: t}
	done := make(chan struct{})
	go func() {
		// A failing rapid check ends its goroutine.
		defer close(done)
		rapid.Check(quiet, d.property)
	}()
	<-done
	switch {
	case d.err != nil:
		t.Fatalf("drill: %v", d.err)
	case d.last != nil:
		d.fail(t)
	case quiet.failed:
		t.Fatalf("drill: %s", quiet.said)
	}
}

// MakeFuzz makes a fuzz target of an executor: the fuzzer's bytes draw the schedule.
//
//	func FuzzRefunds(f *testing.F) { f.Fuzz(drilltest.MakeFuzz(f, options)) }
func MakeFuzz(f *testing.F, o Options) func(*testing.T, []byte) {
	f.Helper()
	return func(t *testing.T, input []byte) {
		t.Helper()
		d := o.drawn(t)
		rapid.MakeFuzz(func(rt *rapid.T) {
			d.property(rt)
		})(t, input)
	}
}

// drawing is a rapid property over schedules, and what it saw fail.
type drawing struct {
	harnessed
	gen  *rapid.Generator[harness.Schedule]
	last *harness.Schedule
	err  error
}

func (o Options) drawn(t *testing.T) *drawing {
	t.Helper()
	h := o.harness(t)
	ops := random.OpsOf(h.profile.Operations, func(o targets.Operation) bool { return o.Changes })
	return &drawing{harnessed: h, gen: random.Schedules(random.Space{Schedule: h.base, Promises: h.options.Promises, Ops: ops,
		Carries: h.carries, Refuses: h.options.Refuses, Workers: 2})}
}

// property runs one plan; a plan after the first that failed is not run, since rapid
// would make it smaller its own way.
func (d *drawing) property(t *rapid.T) {
	s := d.gen.Draw(t, "schedule")
	if d.last != nil || d.err != nil {
		t.Fatalf("unsafe")
	}
	h, err := suite.Patient(d.options.World).Run(context.Background(), s)
	if err != nil {
		d.err = fmt.Errorf("%v: %w", s.Faults, err)
		t.Fatalf("could not be run")
	}
	if j := check.Judge(h); j.Verdict == harness.Unsafe {
		d.last = &s
		t.Fatalf("unsafe: %s: expected %s, observed %s", j.Violations[0].Invariant, j.Violations[0].Expected, j.Violations[0].Observed)
	}
}

// fail makes the schedule small and tells it.
func (d *drawing) fail(t *testing.T) {
	t.Helper()
	run := suite.Patient(d.options.World).Run
	h, err := run(context.Background(), *d.last)
	if err != nil {
		t.Fatalf("drill: %v: %v", d.last.Faults, err)
	}
	broken := search.Broken(check.Judge(h))
	if len(broken) == 0 {
		t.Fatalf("unsafe once, and not again: %v", d.last.Faults)
	}
	small, last, err := search.Smallest(context.Background(), *d.last, h, broken[0], run)
	if err != nil {
		t.Fatalf("drill: %v", err)
	}
	fail(t, d.options.World, report.Trial{ID: "smallest schedule"}.Judged(last, check.Judge(last)))
	keep(t, small)
}

// recorder is a test for rapid that fails no other: it keeps what was said.
type recorder struct {
	rapid.TB
	failed bool
	said   string
}

func (r *recorder) Helper()                        {}
func (r *recorder) Log(...any)                     {}
func (r *recorder) Logf(string, ...any)            {}
func (r *recorder) Failed() bool                   { return r.failed }
func (r *recorder) Fail()                          { r.failed = true }
func (r *recorder) Error(a ...any)                 { r.failed, r.said = true, fmt.Sprint(a...) }
func (r *recorder) Errorf(format string, a ...any) { r.Error(fmt.Sprintf(format, a...)) }
func (r *recorder) FailNow()                       { r.failed = true; runtime.Goexit() }
func (r *recorder) Fatal(a ...any)                 { r.Error(a...); runtime.Goexit() }
func (r *recorder) Fatalf(format string, a ...any) { r.Fatal(fmt.Sprintf(format, a...)) }
