package check

import (
	"fmt"
	"testing"
	"time"

	"github.com/retrydrill/drill/harness"
)

// long is a history of about n events: deliveries that lose answers, look up and
// repeat, all for a few actions, so that every walk is as long as it can be.
func long(n int) *harness.History {
	t := newTape(kept(), reset)
	t.Schedule.Limits.MaxAttempts = 0
	names := []string{"A", "B", "C"}
	for i := 0; len(t.Events) < n; i++ {
		name := names[i%len(names)]
		t.deliver("t"+name, act(name))
		for range 3 {
			m := t.create(key("id-" + name))
			t.lose(m, reset)
		}
		t.pass(t.find(), 200, found(obj("r"+name, "id-"+name)))
		m := t.create(key("id-" + name))
		if i < len(names) {
			t.effect(m, "r"+name)
		}
		t.pass(m, 201, res("r"+name), replayed)
		t.done("r" + name)
	}
	return t.History
}

// ns/event has to stay the same while the histories grow tenfold; a million events are
// to be judged within two seconds.
func BenchmarkJudge(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000, 1_000_000} {
		h := long(n)
		b.Run(fmt.Sprintf("events=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if j := Judge(h); j.Verdict != harness.Safe {
					b.Fatal(j.Reason, j.Violations)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(h.Events)), "ns/event")
		})
	}
}

// hostile histories hold a new key, a new resource and a new life each time, and
// leave every outcome open.
func hostile(n int) *harness.History {
	t := newTape(findOnly(), reset)
	for i := 0; len(t.Events) < n; i++ {
		t.deliver("t", act("A"))
		for k := range 3 {
			m := t.create(key(fmt.Sprint(i, k)))
			t.effect(m, fmt.Sprint("r", i, k))
			t.lose(m, reset)
		}
		t.pass(t.create(key(fmt.Sprint(i))), 422)
		t.wait(time.Millisecond)
		t.review()
	}
	return t.History
}

func BenchmarkJudgeHostile(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		h := hostile(n)
		b.Run(fmt.Sprintf("events=%d", n), func(b *testing.B) {
			for b.Loop() {
				if j := Judge(h); j.Verdict != harness.Unsafe {
					b.Fatal(j.Reason)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(h.Events)), "ns/event")
		})
	}
}

// BenchmarkJudgeTrial judges what a search judges most: a short trial in which one
// answer is lost.
func BenchmarkJudgeTrial(b *testing.B) {
	h := recorded()
	b.ReportAllocs()
	for b.Loop() {
		if j := Judge(h); j.Verdict != harness.Safe {
			b.Fatal(j.Reason, j.Violations)
		}
	}
	b.ReportMetric(float64(len(h.Events)), "events")
}

// recorded is the careful trial with the records of an executor's own store.
func recorded() *harness.History {
	t := recording(reset)
	t.records("sent", 1, recordWritten)
	n := t.create(key("id-A"))
	t.effect(n, "r1")
	t.lose(n, reset)
	t.heard("no answer", 1)
	t.records("unknown", 1, recordWritten)
	t.pass(t.find(), 200, found(obj("r1", "id-A")))
	t.heard("whole answer", 1)
	t.records("confirmed", 1, recordWritten)
	t.done("r1")
	return t.History
}
