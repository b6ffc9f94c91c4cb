package wire

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/worker"
)

// settle waits for everything that is still on its way, and ends what the trial
// started. An effect after the report counts, so nothing is cut short.
func (t *trial) settle(parent context.Context) error {
	defer t.cancel()
	bound, stop := context.WithTimeout(context.WithoutCancel(parent), t.s.Limits.Trial.D()/2)
	defer stop()
	t.holds.Over()
	if parent.Err() != nil {
		// Interrupted: what is held is let go at once.
		t.cancel()
	}
	if t.mayAct() {
		// It may have answered before its work was done, and may even stand still in it.
		for again := true; again; again = t.continued(bound) && bound.Err() == nil {
			t.quiet(bound)
		}
	}
	var err error
	for _, s := range t.seats {
		s.slot.cutter.releaseAll()
		if s.runner != nil {
			err = errors.Join(err, s.runner.Close())
		}
	}
	for _, s := range t.seats {
		if s.process {
			worker.KillStrays(t.mark)
		}
		err = errors.Join(err, s.slot.fence(bound))
	}
	if t.loose = !t.quiet(bound); t.loose {
		t.session.Add(harness.Event{Kind: harness.EvBound, Note: "a request did not come to its end"})
	}
	if !t.targetDone(bound) {
		t.session.Add(harness.Event{Kind: harness.EvBound, Note: "the target's own work did not come to its end"})
	}
	t.cancel()
	for _, s := range t.seats {
		s.slot.closeConns()
	}
	t.quiet(bound)
	t.lasting.Wait()
	for _, s := range t.seats {
		err = errors.Join(err, s.slot.bringUp())
		t.w.give(s.slot)
	}
	return err
}

// targetDone waits until the target has done what it still does by itself.
func (t *trial) targetDone(ctx context.Context) bool {
	if t.target.Pending == nil {
		return true
	}
	for d := t.target.Pending(); d > 0; d = t.target.Pending() {
		if (harness.SystemClock{}).Sleep(ctx, d) != nil {
			return false
		}
	}
	return true
}

// mayAct reports whether a process lives on that nothing is asked of.
func (t *trial) mayAct() bool {
	return slices.ContainsFunc(t.seats, func(s *seat) bool { return s.process && s.runner != nil && s.runner.Alive() })
}

// quiet waits until no request is at the tap and no connection is open, or nothing
// moved for as long as the limits say while a connection was open idly, or a worker
// could still open one. It reports false if that did not come about in time.
//
// That long is taken in steps. Where the machine did not let drill run for a while, one
// timer would be over at once afterwards, before what came in that while is looked at.
func (t *trial) quiet(ctx context.Context) bool {
	step := t.s.Limits.Quiet.D() / quietSteps
	idle := time.NewTimer(step)
	defer idle.Stop()
	lives := t.mayAct()
	for still := 0; ; {
		// Connections first: a handler that took its connection over closes it before
		// its request has landed.
		open := 0
		for _, s := range t.seats {
			open += s.slot.open()
		}
		t.mu.Lock()
		flying := t.flying
		t.mu.Unlock()
		if flying == 0 && open == 0 && !lives {
			return true
		}
		select {
		case <-t.stirred:
			still = 0
		case <-idle.C:
			if still++; still >= quietSteps && flying == 0 {
				return true
			}
		case <-ctx.Done():
			return false
		}
		idle.Reset(step)
	}
}

// quietSteps is in how many steps a trial waits for nothing to move.
const quietSteps = 5

// stir implements host: it lets quiet look again.
func (t *trial) stir() {
	select {
	case t.stirred <- struct{}{}:
	default:
	}
}
