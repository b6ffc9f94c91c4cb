package drilltest

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/retrydrill/drill/fakes"
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
	d := o.harness(t).drawn()
	d.ready(t)
	d.begin(t)
	quiet := &recorder{TB: t}
	done := make(chan struct{})
	go func() {
		// A failing rapid check ends its goroutine.
		defer close(done)
		rapid.Check(quiet, d.property)
	}()
	<-done
	if quiet.failed {
		t.Fatalf("drill: %s", quiet.said)
	}
	if small := d.tell(t); small != nil {
		keep(t, *small)
	}
}

// MakeFuzz makes a fuzz target of an executor: the fuzzer's bytes draw the schedule.
//
//	func FuzzRefunds(f *testing.F) { f.Fuzz(drilltest.MakeFuzz(f, options)) }
//
// A plain go test runs some inputs to begin with. Those that failed are kept and run
// first as go test does it, under testdata/fuzz. The fuzzer makes no input smaller unless
// -fuzzminimizetime is given: it would take a minute for each that is new to it.
func MakeFuzz(f *testing.F, o Options) func(*testing.T, []byte) {
	f.Helper()
	o.child()
	leaveInputsAsTheyAre()
	h, err := o.prepare()
	if err != nil {
		f.Fatalf("drill: %v", err)
	}
	random := rand.NewChaCha8([32]byte{byte(*seed)})
	for range begun {
		input := make([]byte, bytesOfADraw)
		_, _ = random.Read(input)
		f.Add(input)
	}
	var ready sync.Once
	var refused error
	return func(t *testing.T, input []byte) {
		t.Helper()
		h := h
		h.options.World = o.open(t, h.profile)
		ready.Do(func() { refused = h.options.Judgeable(context.Background()) })
		if refused != nil {
			t.Fatal(h.refusal(refused))
		}
		d := h.drawn()
		rapid.MakeFuzz(d.property)(t, input)
		d.tell(t)
	}
}

// leaveInputsAsTheyAre turns the fuzzer's own minimising off, where nobody asked for it. A
// smaller input is no smaller schedule, and drill knows what one is.
func leaveInputsAsTheyAre() {
	const name = "test.fuzzminimizetime"
	asked := false
	flag.Visit(func(f *flag.Flag) { asked = asked || f.Name == name })
	if f := flag.Lookup(name); f != nil && !asked {
		// Where another version of Go takes no such value, its own stays.
		_ = f.Value.Set("0s")
	}
}

// begun is how many inputs a fuzzer begins with, each long enough for the longest
// schedule.
const (
	begun        = 8
	bytesOfADraw = 4 << 10
)

// plan is a schedule that rapid logs in one line.
type plan struct{ harness.Schedule }

// GoString implements [fmt.GoStringer].
func (p plan) GoString() string { return fmt.Sprint(p.Faults) }

// drawing is a rapid property over schedules, and what it saw fail.
type drawing struct {
	harnessed
	gen  *rapid.Generator[plan]
	last *harness.Schedule
	err  error
}

func (h harnessed) drawn() *drawing {
	ops := random.OpsOf(h.profile.Operations, func(o targets.Operation) bool { return o.Changes })
	return &drawing{harnessed: h, gen: rapid.Map(random.Schedules(random.Space{Schedule: h.base, Promises: h.options.Promises, Ops: ops,
		Carries: h.carries, Refuses: h.options.Refuses(), Takes: fakes.Takes(h.profile), Workers: 2}), func(s harness.Schedule) plan { return plan{s} })}
}

// property runs one plan. None is drawn after one that failed, of which rapid hears
// nothing: it would make it smaller its own way, and keep its bits in a file.
func (d *drawing) property(t *rapid.T) {
	if d.last != nil || d.err != nil {
		return
	}
	s := d.gen.Draw(t, "schedule").Schedule
	h, err := suite.Patient(d.options.World).Run(context.Background(), s)
	if err != nil {
		d.err = fmt.Errorf("%v: %w", s.Faults, err)
		return
	}
	if check.Judge(h).Verdict == harness.Unsafe {
		d.last = &s
	}
}

// tell makes the schedule small that failed, tells of it and returns it; nil where none
// did.
func (d *drawing) tell(t *testing.T) *harness.Schedule {
	t.Helper()
	if d.err != nil {
		t.Fatalf("drill: %v", d.err)
	}
	if d.last == nil {
		return nil
	}
	run := suite.Patient(d.options.World).Run
	h, err := run(context.Background(), *d.last)
	if err != nil {
		t.Fatalf("drill: %v: %v", d.last.Faults, err)
	}
	broken := search.Broken(check.Judge(h))
	if len(broken) == 0 {
		t.Fatalf("unsafe once, and not again: %v\nagain: %s", d.last.Faults, command(t))
	}
	small, last, err := search.Smallest(context.Background(), *d.last, h, broken[0], run)
	if err != nil {
		t.Fatalf("drill: %v", err)
	}
	fail(t, d.options.World, report.Trial{ID: "smallest schedule"}.Judged(last, check.Judge(last)))
	return &small
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
