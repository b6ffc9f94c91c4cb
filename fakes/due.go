package fakes

import (
	"time"

	"github.com/retrydrill/drill/harness"
)

// due is what happens to an object later, although nobody asks for it. Nothing waits
// for it: whoever looks at the fake next finds it done, as of its time.
type due struct {
	at time.Time
	do func(at time.Time)
}

// schedule puts what is due in the order of its time; of two at one time the one
// that was scheduled first. It is called under the lock.
func (f *Fake) schedule(after time.Duration, do func(at time.Time)) {
	at := f.o.Now().Add(after)
	i := len(f.dues)
	for i > 0 && f.dues[i-1].at.After(at) {
		i--
	}
	f.dues = append(f.dues, due{})
	copy(f.dues[i+1:], f.dues[i:])
	f.dues[i] = due{at, do}
}

// catchUp does all that is due by now. It is called under the lock, before anything
// is read or written.
func (f *Fake) catchUp() {
	if len(f.dues) == 0 {
		return
	}
	for now := f.o.Now(); len(f.dues) > 0 && !f.dues[0].at.After(now); {
		d := f.dues[0]
		f.dues = f.dues[1:]
		d.do(d.at)
	}
}

// outlook schedules what becomes of an object that was just made.
func (f *Fake) outlook(o *object) {
	if f.ways.async > 0 && (f.ways.then == harness.AsyncFail || f.ways.then == harness.AsyncVanish) && f.p.Operations[o.op].Async != nil {
		f.schedule(f.ways.async, func(at time.Time) {
			if !o.stands() {
				return
			}
			o.failed, o.gone = true, f.ways.then == harness.AsyncVanish
			f.takeBack(o, harness.Effect{At: f.offset(at)})
		})
	}
	if f.ways.deleted > 0 {
		f.schedule(f.ways.deleted, func(at time.Time) {
			if !o.stands() {
				return
			}
			o.gone = true
			f.takeBack(o, harness.Effect{At: f.offset(at), Foreign: true})
		})
	}
}

// Pending is how long the target's own work still goes on, on the world's clock; 0
// once all is done. What is due by now is done first.
func (f *Fake) Pending() time.Duration {
	defer f.teller.drain()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.catchUp()
	if len(f.dues) == 0 {
		return 0
	}
	return f.dues[len(f.dues)-1].at.Sub(f.o.Now())
}
