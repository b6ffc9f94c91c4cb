//go:build unix

package drilltest

import (
	"runtime"
	"runtime/debug"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/check"
	"github.com/retrydrill/drill/harness/reference"
	"github.com/retrydrill/drill/scenarios"
)

// BenchmarkBubbleTrial is cmd/drill's BenchmarkSimTrial in a bubble: the reference
// executor as goroutines creates, its answer is lost, it looks and confirms; receipts
// are in memory, and every check judges. What is more than there is the bubble's.
func BenchmarkBubbleTrial(b *testing.B) {
	// As the command does, which collects less.
	defer debug.SetGCPercent(debug.SetGCPercent(800))
	b.ReportAllocs()
	inTest(b, func(t *testing.T) {
		// What runs a test sets it, too.
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
		w, s := lostAnswer(t)
		events, begun := 0, processor(b)
		for b.Loop() {
			h, err := w.Run(t.Context(), s)
			if err != nil {
				b.Fatal(err)
			}
			if j := check.Judge(h); j.Verdict != harness.Safe {
				b.Fatal(j.Reason)
			}
			events = len(h.Events)
			w.(*virtual).Reuse(h)
		}
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "trials/s")
		b.ReportMetric(float64(b.N)/(processor(b)-begun).Seconds(), "trials/cpu-s")
		b.ReportMetric(float64(events), "events/trial")
	})
}

// lostAnswer is the world, and the schedule with one lost answer.
func lostAnswer(t *testing.T) (harness.World, harness.Schedule) {
	o := Options{New: reference.Executors[0].New}
	s, p, err := o.suite()
	require.NoError(t, err)
	f, err := harness.ParseFault("create#1 response close")
	require.NoError(t, err)
	schedule, err := s.Schedule(scenarios.Trial{Faults: []harness.Fault{f}})
	require.NoError(t, err)
	return o.open(t, p), schedule
}

// inTest runs f in a test: a bubble needs one, and a benchmark is none.
func inTest(b *testing.B, f func(*testing.T)) {
	all := func(string, string) (bool, error) { return true, nil }
	if !testing.RunTests(all, []testing.InternalTest{{Name: b.Name(), F: f}}) {
		b.Fatal("the test around the bubbles failed")
	}
}

// processor is how much of the processor this process has used.
func processor(b *testing.B) time.Duration {
	var u syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
