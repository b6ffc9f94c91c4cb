//go:build unix

package main

import (
	"runtime"
	"runtime/debug"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/check"
)

// BenchmarkSimTrial is one trial in the sim on one processor: the reference executor
// creates, its answer is lost, it looks and confirms. The stripe-v1 fake answers real
// HTTP handlers' requests; receipts are in memory; tap, digests, the history and every
// check are in it; as in a search, nothing is said beside the verdict. Trials a second of
// processor time are told beside those of the clock, since other work on the machine slows
// only the latter.
func BenchmarkSimTrial(b *testing.B) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	collectLess()
	w := simWorld(b, defaultTarget)
	s, _ := lostAnswer(b, "sim")
	b.ReportAllocs()
	events, begun := 0, processor(b)
	for b.Loop() {
		h, err := w.Run(b.Context(), s)
		if err != nil {
			b.Fatal(err)
		}
		if j := check.Weigh(h); j.Verdict != harness.Safe {
			b.Fatal(j.Reason)
		}
		events = len(h.Events)
		w.Reuse(h)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "trials/s")
	b.ReportMetric(float64(b.N)/(processor(b)-begun).Seconds(), "trials/cpu-s")
	b.ReportMetric(float64(events), "events/trial")
}

// processor is how much of the processor this process has used.
func processor(b *testing.B) time.Duration {
	var u syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// mostAllocations of a trial are more than are made now, which are none, save that what is
// pooled is made anew now and then.
const mostAllocations = 1

// TestATrialStaysCheap: what a trial in the sim allocates is bounded, so that a
// document that is read, or an expression that is compiled, in every trial shows here
// and not in a search that has become slow.
func TestATrialStaysCheap(t *testing.T) {
	w := simWorld(t, defaultTarget)
	s, _ := lostAnswer(t, "sim")
	n := testing.AllocsPerRun(200, func() {
		h, err := w.Run(t.Context(), s)
		require.NoError(t, err)
		require.Equal(t, harness.Safe, check.Judge(h).Verdict)
		w.Reuse(h)
	})
	require.LessOrEqual(t, n, float64(mostAllocations*raced), "allocations of one trial with its judging")
}
