package receipt

import (
	"context"
	"slices"
)

// Placed returns the store where it is an [InPlace], or else one that asks it by what
// every store can do.
func Placed(s Store) InPlace {
	if in, ok := s.(InPlace); ok {
		return in
	}
	return placed{s}
}

type placed struct{ Store }

// Look is as [InPlace] says.
func (p placed) Look(ctx context.Context, c *Claim, d *Decision) error {
	return Look(ctx, p.Store, c, d)
}

// Take is as [InPlace] says.
func (p placed) Take(ctx context.Context, c *Claim, d *Decision) (err error) {
	*d = Decision{}
	d.Receipt, d.Fresh, err = p.Claim(ctx, *c)
	return err
}

// Put is as [InPlace] says.
func (p placed) Put(ctx context.Context, from State, r *Receipt) error { return p.Write(ctx, from, *r) }

// Look says what a claim would come to by all that a store shows, as Look of [InPlace]
// does.
func Look(ctx context.Context, s Store, c *Claim, d *Decision) (err error) {
	*d = Decision{}
	known, err := s.ByTrigger(ctx, c.TriggerKey)
	if err != nil {
		return err
	}
	if r, err := s.Get(ctx, c.ActionID); err == nil {
		known = append([]Receipt{r}, known...)
	}
	var found *Receipt
	if i := slices.IndexFunc(known, func(r Receipt) bool { return r.ActionID == c.ActionID || c.Alike(r) }); i >= 0 {
		found = &known[i]
	}
	by, err := s.UsedBy(ctx, c.Approval.ID)
	if err != nil {
		return err
	}
	*d, err = Decide(*c, found, by)
	return err
}
