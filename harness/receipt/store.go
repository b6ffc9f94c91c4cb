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

// InPlace is a store that can be asked without receipts being copied on the way, and
// whose claims are decided once where somebody looks at the decision before it is
// carried out. [Placed] makes one of any store.
type InPlace interface {
	Store
	// Look says what a claim would come to now, and changes nothing. On an error d is
	// empty.
	Look(ctx context.Context, c *Claim, d *Decision) error
	// Take makes a claim as Claim does. d is what Look said of it, or empty, and it is
	// decided anew where anything changed since. Afterwards d says which receipt it came
	// to, and whether that is fresh; on an error it is empty.
	Take(ctx context.Context, c *Claim, d *Decision) error
	// Put stores a claimed receipt as Write does.
	Put(ctx context.Context, from State, r *Receipt) error
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
	return checkMove(from, &r)
}

// Unwritten explains a write that a store did not make: now is what is stored by then.
// Where that may be written, it changed meanwhile.
func Unwritten(now Receipt, from State, r Receipt) error {
	if err := Refuse(now, from, r); err != nil {
		return err
	}
	return fmt.Errorf("%w: %s changed while it was written", ErrStale, r.ActionID)
}

// CheckMove refuses a move that [Transitions] does not list, and one out of needs_review
// that no person made.
func CheckMove(from State, r Receipt) error { return checkMove(from, &r) }

func checkMove(from State, r *Receipt) error {
	switch {
	case !Allowed(from, r.State):
		return fmt.Errorf("%w: %s from %s to %s", ErrTransition, r.ActionID, from, r.State)
	case from == NeedsReview && !r.ruledTo():
		return fmt.Errorf("%w: %s from %s to %s without a person's ruling", ErrTransition, r.ActionID, from, r.State)
	}
	return nil
}
