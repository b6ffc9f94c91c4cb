package sim

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/retrydrill/drill/harness"
)

// run conducts the trial until every delivery is settled and nothing is on its way.
func (t *trial) run(parent context.Context) error {
	for {
		if err := t.gather(); err != nil {
			return err
		}
		if err := parent.Err(); err != nil {
			return errors.Join(context.Cause(parent), t.drain())
		}
		if t.err != nil {
			return t.drain()
		}
		wait, err := t.handOut()
		if err != nil {
			return errors.Join(err, t.drain())
		}
		if f := t.next(); f != nil {
			t.goOn(f)
			continue
		}
		if t.holds.Release(t.holds.Begun(), t.working) {
			continue
		}
		if t.queue.Done() && len(t.alive) == 0 && t.pending() == 0 {
			if t.bubble == nil || t.bubble.quiet() {
				return nil
			}
			continue
		}
		at, ok := t.earliest(wait)
		if !ok && t.bubble == nil {
			return errors.Join(fmt.Errorf("the trial is stuck: %d wait for what can not come", len(t.alive)), t.drain())
		}
		if !t.pass(at, ok) {
			t.session.Add(harness.Event{Kind: harness.EvBound, Note: "the trial's time"})
			return t.drain()
		}
		t.overtime()
	}
}

// pass lets time go on until then, and reports false where the trial's own time is up.
// In a bubble others wait for time, too.
func (t *trial) pass(at time.Duration, ok bool) bool {
	limit := t.s.Limits.Trial.D()
	if t.bubble != nil {
		if !ok || at > limit {
			at = limit
		}
		if t.now >= limit {
			return false
		}
		t.bubble.pass(at)
		return true
	}
	if at > limit {
		return false
	}
	t.now, t.moved = max(t.now, at), t.moved+1
	return true
}

// gather takes in what the goroutines of a bubble ask for.
func (t *trial) gather() error {
	if t.bubble == nil {
		return nil
	}
	return t.bubble.gather()
}

// handOut makes every hand-over that is due, and returns how long until the next.
func (t *trial) handOut() (time.Duration, error) {
	for {
		h, wait, err := t.queue.Next(t.now, t.told.happened)
		if err != nil {
			return 0, err
		}
		if h == nil {
			t.watched = wait.At != nil
			return wait.For, nil
		}
		if err := t.hand(h); err != nil {
			return 0, err
		}
	}
}

// goOn lets a fiber go on; one that is done is a delivery or a request that ended.
func (t *trial) goOn(f *fiber) {
	if !t.step(f) {
		return
	}
	if f.seat != nil {
		t.ended(f.seat)
	}
	if a := f.asked; a != nil && a.told != nil {
		t.bubble.wake, t.bubble.settled = a, false
	}
	t.pool.give(f)
}

// working yields the slots that are at work.
func (t *trial) working(yield func(int) bool) {
	for _, s := range t.seats {
		if s.hand != nil && !s.stopped() && !yield(s.number) {
			return
		}
	}
}

// pending is how long the target works on by itself.
func (t *trial) pending() time.Duration {
	if t.target.Pending == nil {
		return 0
	}
	return t.target.Pending()
}

// earliest is when the next thing happens by time alone.
func (t *trial) earliest(wait time.Duration) (at time.Duration, ok bool) {
	at, ok = t.wakeAt()
	sooner := func(d time.Duration) {
		if !ok || d < at {
			at, ok = d, true
		}
	}
	if wait > 0 {
		sooner(t.now + wait)
	}
	for _, s := range t.seats {
		if s.hand != nil && (!s.late || t.bubble != nil) {
			sooner(s.deadline)
		}
	}
	if d := t.pending(); !ok && d > 0 {
		sooner(t.now + d)
	}
	return at, ok
}

// overtime ends the deliveries that took too long.
func (t *trial) overtime() {
	for _, s := range t.seats {
		if s.hand != nil && (!s.late || t.bubble != nil) && t.now >= s.deadline {
			s.deadline += t.s.Limits.Lease.D()
			s.expire()
		}
	}
}

// drain lets everything that is at work come to its end, and returns the trial's
// own error.
func (t *trial) drain() error {
	t.ending = true
	t.ctx.end()
	for _, s := range t.seats {
		if s.hand != nil {
			s.life.die()
		}
	}
	for {
		if err := t.gather(); err != nil {
			return err
		}
		f := t.next()
		if f == nil {
			break
		}
		t.goOn(f)
	}
	return t.err
}
