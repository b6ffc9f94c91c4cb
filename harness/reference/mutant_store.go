package reference

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/retrydrill/drill/harness/receipt"
)

// loose are receipts without what guards them: each field is a guard that is missing.
type loose struct {
	receipt.Store
	// claim stands around a claim.
	claim func(ctx context.Context, s receipt.Store, c receipt.Claim) (receipt.Receipt, bool, error)
	// unfenced lets a write through whose lease is another's by now.
	unfenced bool
}

// Claim is as [receipt.Store] says, less a guard.
func (l loose) Claim(ctx context.Context, c receipt.Claim) (receipt.Receipt, bool, error) {
	if l.claim == nil {
		return l.Store.Claim(ctx, c)
	}
	return l.claim(ctx, l.Store, c)
}

// Write is as [receipt.Store] says, less a guard: unfenced, it is made in the name of
// whoever holds the lease now, and where even that is no move it is taken for made.
func (l loose) Write(ctx context.Context, from receipt.State, r receipt.Receipt) error {
	err := l.Store.Write(ctx, from, r)
	if !l.unfenced || !errors.Is(err, receipt.ErrStale) && !errors.Is(err, receipt.ErrTransition) {
		return err
	}
	now, gerr := l.Get(ctx, r.ActionID)
	if gerr != nil {
		return gerr
	}
	r.Fence = now.Fence
	if err := l.Store.Write(ctx, now.State, r); err != nil && !errors.Is(err, receipt.ErrTransition) {
		return err
	}
	return nil
}

// anyway claims what another holds as if its lease were over.
func anyway(ctx context.Context, s receipt.Store, c receipt.Claim) (receipt.Receipt, bool, error) {
	r, fresh, err := s.Claim(ctx, c)
	var held *receipt.HeldError
	if !errors.As(err, &held) {
		return r, fresh, err
	}
	late := c
	late.Now = held.Receipt.LeaseUntil.Add(time.Millisecond)
	return s.Claim(ctx, late)
}

// stealing: who comes second does not look whether the first still holds the lease.
func stealing(s receipt.Store) receipt.Store { return loose{Store: s, claim: anyway, unfenced: true} }

// unfenced: a claim is as careful as ever, and no write is held against it.
func unfenced(s receipt.Store) receipt.Store { return loose{Store: s, unfenced: true} }

// checkThenInsert: the row is read in one step and written in another, so that two who
// read before either wrote both find nothing there.
func checkThenInsert(s receipt.Store) receipt.Store {
	return loose{Store: s, unfenced: true, claim: func(ctx context.Context, s receipt.Store, c receipt.Claim) (receipt.Receipt, bool, error) {
		r, fresh, err := anyway(ctx, s, c)
		if err == nil && r.State.Open() {
			r.State = receipt.Approved
			fresh = true
		}
		return r, fresh, err
	}}
}

// beganAnew claims a receipt of a name of its own in place of one that is settled so.
func beganAnew(state receipt.State) func(receipt.Store) receipt.Store {
	return func(s receipt.Store) receipt.Store {
		return loose{Store: s, claim: func(ctx context.Context, s receipt.Store, c receipt.Claim) (receipt.Receipt, bool, error) {
			for n := 2; ; n++ {
				r, fresh, err := s.Claim(ctx, c)
				if err != nil || fresh || r.State != state {
					return r, fresh, err
				}
				c.ActionID, c.TriggerKey = fmt.Sprintf("%s/%d", r.ActionID, n), fmt.Sprintf("%s/%d", c.TriggerKey, n)
				c.Approval.SingleUse = false
			}
		}}
	}
}

// deadRuns returns what was rejected once, whatever was approved since.
func deadRuns(s receipt.Store) receipt.Store {
	return loose{Store: s, claim: func(ctx context.Context, s receipt.Store, c receipt.Claim) (receipt.Receipt, bool, error) {
		if r, err := s.Get(ctx, c.ActionID); err == nil && r.State == receipt.Rejected {
			return r, false, nil
		}
		return s.Claim(ctx, c)
	}}
}

// freshCount forgets, with each claim, how often the target was asked.
func freshCount(s receipt.Store) receipt.Store {
	return loose{Store: s, claim: func(ctx context.Context, s receipt.Store, c receipt.Claim) (receipt.Receipt, bool, error) {
		r, fresh, err := s.Claim(ctx, c)
		r.Attempt = 0
		return r, fresh, err
	}}
}

// lister remembers what a recovery listed as open.
type lister struct {
	loose
	mu   sync.Mutex
	open map[string]receipt.Receipt
}

// listing is a store whose claims may ask the list.
func listing(s receipt.Store, claim func(context.Context, *lister, receipt.Store, receipt.Claim) (receipt.Receipt, bool, error)) *lister {
	x := &lister{open: map[string]receipt.Receipt{}}
	x.loose = loose{Store: s, claim: func(ctx context.Context, s receipt.Store, c receipt.Claim) (receipt.Receipt, bool, error) {
		return claim(ctx, x, s, c)
	}}
	return x
}

// Unsettled is as [receipt.Store] says; what it returns is remembered.
func (x *lister) Unsettled(ctx context.Context) ([]receipt.Receipt, error) {
	open, err := x.Store.Unsettled(ctx)
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, r := range open {
		x.open[r.ActionID] = r
	}
	return open, err
}

// was returns a receipt as it was listed.
func (x *lister) was(id string) (receipt.Receipt, bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	r, listed := x.open[id]
	return r, listed
}

// rescuing has a recovery run anew, as a run of its own, whatever it finds settled that
// it had listed as open before it waited for the lease: by its ID alone.
func rescuing(s receipt.Store) receipt.Store { return listing(s, rescue) }

func rescue(ctx context.Context, x *lister, s receipt.Store, c receipt.Claim) (receipt.Receipt, bool, error) {
	anew := c
	anew.ActionID, anew.TriggerKey, anew.Approval.SingleUse = c.ActionID+"/rescued", c.TriggerKey+"/rescued", false
	if _, err := s.Get(ctx, anew.ActionID); err == nil {
		return s.Claim(ctx, anew)
	}
	r, fresh, err := s.Claim(ctx, c)
	if _, listed := x.was(c.ActionID); err != nil || !r.State.Settled() || !listed {
		return r, fresh, err
	}
	anew.Covered, anew.Approval.ID, anew.Approval.PolicyVersion = true, r.ApprovalID, r.PolicyVersion
	return s.Claim(ctx, anew)
}

// withoutResult tells who comes second that it is done, and no more.
func withoutResult(s receipt.Store) receipt.Store {
	return loose{Store: s, claim: func(ctx context.Context, s receipt.Store, c receipt.Claim) (receipt.Receipt, bool, error) {
		r, fresh, err := s.Claim(ctx, c)
		if r.State == receipt.Confirmed {
			r.Resource = ""
		}
		return r, fresh, err
	}}
}
