package receipt

import "context"

// Guarded returns the store as one life holds it: once the life answers an error for
// being alive, every call answers that and does nothing.
func Guarded(s Store, life interface{ Alive() error }) Store {
	in, ok := s.(InPlace)
	if !ok {
		return &guarded{s, life}
	}
	var g *guardedInPlace
	if m, ok := s.(*Memory); ok {
		g = m.guard()
	} else {
		g = &guardedInPlace{}
	}
	*g = guardedInPlace{guarded{s, life}, in}
	return g
}

type guarded struct {
	Store
	life interface{ Alive() error }
}

// guardedInPlace is guarded where the store is an [InPlace].
type guardedInPlace struct {
	guarded
	in InPlace
}

func (g *guardedInPlace) Look(ctx context.Context, c *Claim, d *Decision) error {
	if err := g.life.Alive(); err != nil {
		*d = Decision{}
		return err
	}
	return g.in.Look(ctx, c, d)
}

func (g *guardedInPlace) Take(ctx context.Context, c *Claim, d *Decision) error {
	if err := g.life.Alive(); err != nil {
		*d = Decision{}
		return err
	}
	return g.in.Take(ctx, c, d)
}

func (g *guardedInPlace) Put(ctx context.Context, from State, r *Receipt) error {
	if err := g.life.Alive(); err != nil {
		return err
	}
	return g.in.Put(ctx, from, r)
}

func (g *guarded) Claim(ctx context.Context, c Claim) (Receipt, bool, error) {
	if err := g.life.Alive(); err != nil {
		return Receipt{}, false, err
	}
	return g.Store.Claim(ctx, c)
}

func (g *guarded) Write(ctx context.Context, from State, r Receipt) error {
	if err := g.life.Alive(); err != nil {
		return err
	}
	return g.Store.Write(ctx, from, r)
}

func (g *guarded) Get(ctx context.Context, actionID string) (Receipt, error) {
	if err := g.life.Alive(); err != nil {
		return Receipt{}, err
	}
	return g.Store.Get(ctx, actionID)
}

func (g *guarded) ByTrigger(ctx context.Context, triggerKey string) ([]Receipt, error) {
	if err := g.life.Alive(); err != nil {
		return nil, err
	}
	return g.Store.ByTrigger(ctx, triggerKey)
}

func (g *guarded) Unsettled(ctx context.Context) ([]Receipt, error) {
	if err := g.life.Alive(); err != nil {
		return nil, err
	}
	return g.Store.Unsettled(ctx)
}

func (g *guarded) UsedBy(ctx context.Context, approvalID string) (string, error) {
	if err := g.life.Alive(); err != nil {
		return "", err
	}
	return g.Store.UsedBy(ctx, approvalID)
}
