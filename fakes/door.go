package fakes

import (
	"net/http"
	"time"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/internal/lone"
	"github.com/retrydrill/drill/targets"
)

// door turns requests away before they are looked at: in a maintenance window, and
// beyond a rate. What is turned away leaves nothing behind, under no key.
type door struct {
	// rate is how many requests a second are let in; 0 is all.
	rate int
	// The window begins at shut and ends at open, as offsets from the trial's start.
	shut, open time.Duration
	mu         lone.Mutex
	// recent are the last requests that were let in, oldest first, rate at most.
	recent []time.Time
}

func (d *door) reset() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.recent = nil
}

// pass lets a request in, or says what it is told.
func (f *Fake) pass() *refusal {
	d := &f.ways.door
	if d.rate == 0 && d.open == 0 {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	now := f.o.Now()
	if at := now.Sub(f.o.Start); at >= d.shut && at < d.open {
		r, told := f.p.Refusals["maintenance"]
		if !told {
			r.Status = http.StatusServiceUnavailable
		}
		return away(r, d.open-at, "The service is down for maintenance.")
	}
	if d.rate == 0 {
		return nil
	}
	if len(d.recent) == d.rate {
		if age := now.Sub(d.recent[0]); age < time.Second {
			return away(f.throttled(), time.Second-age, "Too many requests.")
		}
		d.recent = d.recent[1:]
	}
	d.recent = append(d.recent, now)
	return nil
}

// throttled is what the profile calls its answer to too many requests; else its
// first transient rejection, else 429.
func (f *Fake) throttled() targets.Refusal {
	if r, told := f.p.Refusals["throttled"]; told {
		return r
	}
	for _, e := range f.p.Errors {
		if e.Class == harness.RejectedTransient {
			return targets.Refusal{Status: e.Status, Code: e.Code}
		}
	}
	return targets.Refusal{Status: http.StatusTooManyRequests}
}

// away asks the client to wait for what is left, in whole seconds, and for no less
// than the profile asks.
func away(r targets.Refusal, left time.Duration, message string) *refusal {
	r.RetryAfter = max(r.RetryAfter, int((left+time.Second-1)/time.Second))
	return refused(r, "", message)
}
