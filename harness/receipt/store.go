package receipt

import (
	"context"
	"fmt"
)

// Store keeps receipts. It is safe for concurrent use.
type Store interface {
	// Claim finds or creates the receipt and takes its lease, as [Decide] says, in
	// one transaction. A settled receipt is returned as it is. fresh reports that
	// there was none before.
	Claim(ctx context.Context, c Claim) (r Receipt, fresh bool, err error)
	// Write stores a claimed receipt that was in state from, by compare-and-set on
	// its fence and its state. It is durable when Write returns.
	Write(ctx context.Context, from State, r Receipt) error
	// Get returns the receipt of an action, or [ErrMissing].
	Get(ctx context.Context, actionID string) (Receipt, error)
	// ByTrigger returns the receipts of a trigger, in the order of their making.
	ByTrigger(ctx context.Context, triggerKey string) ([]Receipt, error)
	// Unsettled returns the receipts that have no answer yet, in the order of their
	// making: what an earlier life may have left.
	Unsettled(ctx context.Context) ([]Receipt, error)
	// UsedBy returns the action that consumed a single-use approval, or "".
	UsedBy(ctx context.Context, approvalID string) (string, error)
	// Close ends what the store holds.
	Close() error
}

// Refuse explains a compare-and-set that met another receipt than it started from:
// now is what is stored. It returns nil where the write may be made.
func Refuse(now Receipt, from State, r Receipt) error {
	switch {
	case now.Fence != r.Fence:
		return fmt.Errorf("%w: write to %s with token %d, the receipt is at %d", ErrStale, r.ActionID, r.Fence, now.Fence)
	case now.State != from:
		return fmt.Errorf("%w: write to %s from %s, the receipt is %s", ErrTransition, r.ActionID, from, now.State)
	}
	return CheckMove(from, r)
}

// CheckMove refuses a move that [Transitions] does not list, and one out of needs_review
// that no person made.
func CheckMove(from State, r Receipt) error {
	switch {
	case !Allowed(from, r.State):
		return fmt.Errorf("%w: %s from %s to %s", ErrTransition, r.ActionID, from, r.State)
	case from == NeedsReview && !r.ruledTo():
		return fmt.Errorf("%w: %s from %s to %s without a person's ruling", ErrTransition, r.ActionID, from, r.State)
	}
	return nil
}
