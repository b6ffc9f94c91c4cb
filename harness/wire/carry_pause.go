package wire

import (
	"context"
	"slices"
	"time"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/deliver"
	"github.com/retrydrill/drill/harness/tap"
	"github.com/retrydrill/drill/harness/worker"
)

// carryPause stops the worker with its answer in flight: the answer is let go once the
// process stands still, so that it is the first thing that it finds when it goes on.
func carryPause(t *trial, _ context.Context, x *tap.Exchange, f *harness.Fault) bool {
	s, life := t.lives(x.Worker, x.Incarnation)
	if life == nil || !life.Pause() {
		return true
	}
	t.stops(s, true)
	e := x.Event
	t.lasting.Go(func() {
		t.standStill(s, life, f.D.In(t.s.Limits))
		t.stops(s, false)
		if life.Resume() {
			t.session.Fired(f, e)
		}
	})
	return true
}

// stops notes whether a worker's process stands still: nobody waits for what it would do.
func (t *trial) stops(s *seat, stopped bool) {
	t.mu.Lock()
	if s.stopped = stopped; stopped {
		t.holds.Fewer()
	}
	t.mu.Unlock()
	t.poke()
}

// continued returns once no worker stands still any more, and reports whether one did.
func (t *trial) continued(ctx context.Context) (stood bool) {
	for t.oneStands() {
		stood = true
		select {
		case <-t.poked:
		case <-ctx.Done():
			return stood
		}
	}
	return stood
}

func (t *trial) oneStands() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.ContainsFunc(t.seats, func(s *seat) bool { return s.stopped })
}

// standStill returns after d, and once whoever took over is done, where the hand-over
// ran out meanwhile; sooner where the process has ended.
func (t *trial) standStill(s *seat, life worker.Mortal, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-life.Ended():
		return
	case <-t.ctx.Done():
		return
	}
	select {
	case <-t.expire(s):
	case <-life.Ended():
	case <-t.ctx.Done():
	}
}

// expiry is a hand-over on its way to the conductor, which says whose end is to be waited
// for.
type expiry struct {
	hand *deliver.Hand
	over chan (<-chan struct{})
}

// expire lets the hand-over run out that a worker is at. What it returns is closed once
// whoever took over is done.
func (t *trial) expire(s *seat) <-chan struct{} {
	t.mu.Lock()
	x := expiry{s.hand, make(chan (<-chan struct{}), 1)}
	t.mu.Unlock()
	none := make(chan struct{})
	close(none)
	select {
	case t.expiries <- x:
	case <-t.conducted:
		return none
	case <-t.ctx.Done():
		return none
	}
	select {
	case over := <-x.over:
		if over != nil {
			return over
		}
	case <-t.ctx.Done():
	}
	return none
}
