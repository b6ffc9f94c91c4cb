package reference

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/receipt"
)

// recover takes up what earlier lives left: receipts that have no answer yet. It is
// handed nothing, and so no approval either: what may be out is looked up and
// settled, and what would need another request is left to the delivery that brings
// the approval again.
func (l *life) recover(ctx context.Context, report func(harness.Report)) error {
	left, err := l.store.Unsettled(ctx)
	if err != nil {
		return err
	}
	var unsettled []error
	for _, r := range left {
		out, err := l.takeUp(ctx, r)
		switch {
		case err != nil:
			unsettled = append(unsettled, fmt.Errorf("action %s: %w", r.ActionID, err))
		case out != nil:
			report(*out)
		}
		if ctx.Err() != nil {
			break
		}
	}
	return errors.Join(unsettled...)
}

// takeUp settles one receipt under a claim of its own, or leaves it. What another
// worker holds is asked for once more when its lease must have run out.
func (l *life) takeUp(ctx context.Context, r receipt.Receipt) (*harness.Report, error) {
	if _, _, is := l.stepOf(r.ActionID); is {
		// Its action takes it up.
		return nil, nil
	}
	if !l.rules.RecoverUnderClaim {
		return l.sendAgain(ctx, r, r.ActionID+":recovered")
	}
	c := l.sweeping(r)
	c.Owner = owner(l.env.Worker)
	claimed, _, err := l.claim(ctx, &c)
	if held := (*receipt.HeldError)(nil); errors.As(err, &held) {
		if err := l.env.Clock.Sleep(ctx, held.Receipt.LeaseUntil.Sub(l.now())+leaseGrace); err != nil {
			return nil, err
		}
		c.Now = l.now()
		claimed, _, err = l.claim(ctx, &c)
	}
	switch {
	case errors.Is(err, receipt.ErrHeld), errors.Is(err, receipt.ErrNotApproved):
		return nil, nil
	case err != nil:
		return nil, err
	}
	w := l.workOn(claimed)
	w.recovers = true
	defer w.release(ctx)
	switch err := w.settleAll(ctx, &c, false); {
	case errors.Is(err, receipt.ErrStale), errors.Is(err, receipt.ErrHeld), errors.Is(err, errLeft):
		return nil, nil
	case err != nil:
		return nil, err
	}
	out := told(w.r.ActionID, w.r)
	return &out, nil
}

// leaseGrace is how long after its end a lease is asked for, so that it is over on
// the clock of whoever keeps the receipts.
const leaseGrace = time.Millisecond

// errLeft ends the work on a receipt that needs what a recovery does not have.
var errLeft = errors.New("left to the delivery that brings an approval")

// sendAgain is what a careless recovery does: whatever has no answer is sent anew,
// by whoever comes across it.
func (l *life) sendAgain(ctx context.Context, r receipt.Receipt, key string) (*harness.Report, error) {
	w := l.workOn(&r)
	out := w.dispatch(ctx, key)
	if out.Class != harness.Confirmed {
		return nil, left("create", "it was sent again and got no answer", out)
	}
	return &harness.Report{ActionID: r.ActionID, Outcome: harness.Done, Resource: out.Resource}, nil
}
