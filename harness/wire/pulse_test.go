package wire

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
)

// beats lets a pulse see pauses of these lengths.
func beats(p *pulse, pauses ...time.Duration) {
	at := time.Unix(0, 0)
	p.watch(func() time.Time { return at }, func() bool {
		if len(pauses) == 0 {
			return false
		}
		at, pauses = at.Add(pauses[0]), pauses[1:]
		return true
	})
}

func TestPulseTellsTheWorstThatMatters(t *testing.T) {
	const ms = time.Millisecond
	l := harness.Limits{ClientDeadline: harness.Duration(300 * ms), Lease: harness.Duration(400 * ms)}
	slow := func(what string, late time.Duration) harness.Event {
		return harness.Event{Kind: harness.EvSlow, Note: what, Late: harness.Duration(late)}
	}
	for _, c := range []struct {
		name   string
		limits harness.Limits
		pauses []time.Duration
		record time.Duration
		want   []harness.Event
		start  time.Duration
	}{
		{"in time", l, []time.Duration{10 * ms, 12 * ms, 84 * ms}, 74 * ms, nil, 74 * ms},
		{"late", l, []time.Duration{10 * ms, 130 * ms, 90 * ms}, 74 * ms, []harness.Event{slow(slowDrill, 120*ms)}, 0},
		{"a slow disk", l, []time.Duration{10 * ms}, 75 * ms, []harness.Event{slow(slowRecord, 75*ms)}, 0},
		{"a process that waits for its start", l, []time.Duration{10 * ms}, 0, []harness.Event{slow(slowStart, 75*ms)}, 75 * ms},
		{"longer deadlines", l.Scaled(4), []time.Duration{130 * ms}, 290 * ms, nil, 290 * ms},
		{"the lease is the shorter one", harness.Limits{ClientDeadline: l.ClientDeadline, Lease: harness.Duration(40 * ms)},
			[]time.Duration{20 * ms}, 0, []harness.Event{slow(slowDrill, 10*ms)}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			// A pulse of its own clock: the one that beats would see this machine.
			p := &pulse{late: map[string]time.Duration{}, stop: make(chan struct{}), done: make(chan struct{})}
			close(p.done)
			beats(p, c.pauses...)
			p.note(slowRecord, c.record)
			p.note(slowStart, c.start)
			require.Equal(t, c.want, p.end(c.limits))
		})
	}
}

func TestPulseEnds(t *testing.T) {
	p := newPulse()
	p.end(harness.DefaultLimits())
	_, open := <-p.done
	require.False(t, open)
}
