package reference

import (
	"context"
	"errors"

	"github.com/retrydrill/drill/harness/receipt"
	"github.com/retrydrill/drill/harness/worker"
)

// sits is how often a lease of another is sat out in one claim.
const sits = 3

// waiting sits a lease of another out, and claims then.
func waiting(open OpenStore) OpenStore {
	return func(env *worker.Env) (receipt.Store, error) {
		s, err := open(env)
		if err != nil {
			return nil, err
		}
		return loose{Store: s, claim: func(ctx context.Context, s receipt.Store, c receipt.Claim) (r receipt.Receipt, fresh bool, err error) {
			for range sits {
				c.Now = env.Clock.Now()
				r, fresh, err = s.Claim(ctx, c)
				var held *receipt.HeldError
				if !errors.As(err, &held) {
					return r, fresh, err
				}
				if err := env.Clock.Sleep(ctx, held.Receipt.LeaseUntil.Sub(c.Now)+leaseGrace); err != nil {
					return receipt.Receipt{}, false, err
				}
			}
			return r, fresh, err
		}}, nil
	}
}

// comparing takes up what it listed only as it was listed.
func comparing(s receipt.Store) receipt.Store { return listing(s, takeUp) }

// takeUp compares where nobody brought an approval, as in a recovery.
func takeUp(ctx context.Context, x *lister, s receipt.Store, c receipt.Claim) (receipt.Receipt, bool, error) {
	was, listed := x.was(c.ActionID)
	if !listed || c.Approval.ID != "" {
		return s.Claim(ctx, c)
	}
	now, err := s.Get(ctx, c.ActionID)
	switch {
	case err != nil:
		return receipt.Receipt{}, false, err
	case now.Fence != was.Fence || now.State != was.State || now.Digest != was.Digest:
		return receipt.Receipt{}, false, &receipt.HeldError{Receipt: now}
	}
	return s.Claim(ctx, c)
}
