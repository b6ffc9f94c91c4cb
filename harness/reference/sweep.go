package reference

import (
	"context"
	"errors"
	"fmt"

	"github.com/retrydrill/drill/harness/receipt"
	"github.com/retrydrill/drill/harness/worker"
)

// Sweeper settles what earlier lives left without an answer. It has no approval, so
// it never sends: it looks, compares and records, with the executor's own code.
type Sweeper struct {
	*executor
	close func() error
}

// ErrLeft is returned where a sweep leaves a receipt as it is; the text says why.
var ErrLeft = errors.New("left as it is")

// NewSweeper acts at the target of env, on receipts that open opens. env is as for an
// executor; it needs TargetURL, Token, Profile, HTTP, Clock, ClientDeadline and Lease.
// [Sweeper.Close] closes what open opened.
func NewSweeper(env worker.Env, open OpenStore) (*Sweeper, error) {
	x, err := newExecutor(&outfits{rules: Careful()}, open, env)
	if err != nil {
		return nil, err
	}
	return &Sweeper{executor: x, close: x.store.Close}, nil
}

// Close closes the receipts.
func (s *Sweeper) Close() error { return s.close() }

// Sweep takes up one pending receipt under a claim and returns it as it is then
// stored. What a delivery still holds, or may still bring, is left with [ErrLeft].
// expired says that nothing can bring the action again: then what is merely approved
// is taken up too, as may be out, since no record of a request is no proof.
func (s *Sweeper) Sweep(ctx context.Context, r receipt.Receipt, expired bool) (receipt.Receipt, error) {
	l := new(life).in(s.executor, &room{})
	l.rng.Seed(s.env.Seed, uint64(r.Fence))
	if _, _, step := s.stepOf(r.ActionID); s.several() && (!step || s.undoing(r.ActionID)) {
		return r, fmt.Errorf("%w: it is made in several steps, and its delivery or a recovery knows the order", ErrLeft)
	}
	if !r.State.Settled() && !r.State.Open() {
		if !expired || r.Held(l.now()) {
			return r, fmt.Errorf("%w: nothing is recorded as sent, and its delivery may still come", ErrLeft)
		}
		open := r.To(receipt.Unknown, l.now()).Released()
		if err := s.store.Write(ctx, r.State, open); err != nil {
			return r, err
		}
		r = open
	}
	c := l.sweeping(r)
	claimed, _, err := l.claim(ctx, &c)
	var held *receipt.HeldError
	switch {
	case errors.As(err, &held):
		return held.Receipt, fmt.Errorf("%w: %s is at work on it until %s", ErrLeft, held.Receipt.Owner, held.Receipt.LeaseUntil.UTC().Format("15:04:05"))
	case err != nil:
		return r, err
	}
	w := l.workOn(claimed)
	if err := w.settle(ctx, false); err != nil {
		w.release(ctx)
		return *w.r, err
	}
	return *w.r, nil
}

// sweeping claims a receipt as it stands, without an approval.
func (l *life) sweeping(r receipt.Receipt) receipt.Claim {
	return receipt.Claim{
		ActionID: r.ActionID, TriggerKey: r.TriggerKey, BusinessKey: r.BusinessKey, Effect: r.Effect, Ordinal: r.Ordinal,
		Arguments: r.Arguments, Digest: r.Digest, Owner: "sweep", Lease: l.env.Lease, Now: l.now(),
	}
}
