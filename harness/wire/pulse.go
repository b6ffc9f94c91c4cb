package wire

import (
	"sync"
	"time"

	"github.com/retrydrill/drill/harness"
)

// beat is how often a trial looks at the clock.
const beat = 10 * time.Millisecond

// What a trial measures of its own slowness, as [harness.EvSlow] tells it.
const (
	slowDrill  = "drill itself"
	slowRecord = "a write of the executor's own store"
	slowStart  = "a built-in executor's process"
)

// pulse measures how far the machine is behind while a trial runs: a timer that
// fires late tells that processes and goroutines waited for a processor. What it
// can not see is a process that waits while drill does not, but for the start of one
// that is drill's own.
type pulse struct {
	mu   sync.Mutex
	late map[string]time.Duration
	stop chan struct{}
	done chan struct{}
}

func newPulse() *pulse {
	p := &pulse{late: map[string]time.Duration{}, stop: make(chan struct{}), done: make(chan struct{})}
	go func() {
		defer close(p.done)
		p.watch(time.Now, p.pause)
	}()
	return p
}

// watch notes how much longer each pause took than a beat.
func (p *pulse) watch(now func() time.Time, pause func() (goesOn bool)) {
	for since := now(); pause(); {
		at := now()
		p.note(slowDrill, at.Sub(since)-beat)
		since = at
	}
}

func (p *pulse) pause() bool {
	timer := time.NewTimer(beat)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-p.stop:
		return false
	}
}

// note keeps the latest that something came.
func (p *pulse) note(what string, late time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.late[what] = max(p.late[what], late)
}

// end stops the measuring and returns what matters against the limits.
func (p *pulse) end(l harness.Limits) (out []harness.Event) {
	close(p.stop)
	<-p.done
	for _, what := range []string{slowDrill, slowRecord, slowStart} {
		if late := harness.Duration(p.late[what].Round(time.Millisecond)); late >= max(l.Matters(), 1) {
			out = append(out, harness.Event{Kind: harness.EvSlow, Late: late, Note: what})
		}
	}
	return out
}
