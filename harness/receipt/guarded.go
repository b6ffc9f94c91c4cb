package receipt

import "context"

// Guarded returns the store as one life holds it: once the life answers an error for
// being alive, every call answers that and does nothing.
func Guarded(s Store, life interface{ Alive() error }) InPlace {
	var g *guarded
	if m, ok := s.(*Memory); ok {
		g = m.guard()
	} else {
		g = &guarded{}
	}
	*g = guarded{Placed(s), life}
	return g
}

type guarded struct {
	InPlace
	life interface{ Alive() error }
}

func (g *guarded) Look(ctx context.Context, c *Claim, d *Decision) error {
	if err := g.life.Alive(); err != nil {
		*d = Decision{}
		return err
	}
	return g.InPlace.Look(ctx, c, d)
}

func (g *guarded) Take(ctx context.Context, c *Claim, d *Decision) error {
	if err := g.life.Alive(); err != nil {
		*d = Decision{}
		return err
	}
	return g.InPlace.Take(ctx, c, d)
}

func (g *guarded) Put(ctx context.Context, from State, r *Receipt) error {
	if err := g.life.Alive(); err != nil {
		return err
	}
	return g.InPlace.Put(ctx, from, r)
}

func (g *guarded) Claim(ctx context.Context, c Claim) (Receipt, bool, error) {
	if err := g.life.Alive(); err != nil {
		return Receipt{}, false, err
	}
	return g.InPlace.Claim(ctx, c)
}

func (g *guarded) Write(ctx context.Context, from State, r Receipt) error {
	if err := g.life.Alive(); err != nil {
		return err
	}
	return g.InPlace.Write(ctx, from, r)
}

func (g *guarded) Get(ctx context.Context, actionID string) (Receipt, error) {
	if err := g.life.Alive(); err != nil {
		return Receipt{}, err
	}
	return g.InPlace.Get(ctx, actionID)
}

func (g *guarded) ByTrigger(ctx context.Context, triggerKey string) ([]Receipt, error) {
	if err := g.life.Alive(); err != nil {
		return nil, err
	}
	return g.InPlace.ByTrigger(ctx, triggerKey)
}

func (g *guarded) Unsettled(ctx context.Context) ([]Receipt, error) {
	if err := g.life.Alive(); err != nil {
		return nil, err
	}
	return g.InPlace.Unsettled(ctx)
}

func (g *guarded) UsedBy(ctx context.Context, approvalID string) (string, error) {
	if err := g.life.Alive(); err != nil {
		return "", err
	}
	return g.InPlace.UsedBy(ctx, approvalID)
}
