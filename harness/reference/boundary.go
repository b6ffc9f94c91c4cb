package reference

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/retrydrill/drill/harness/receipt"
	"github.com/retrydrill/drill/harness/worker"
)

// bounded is a store at whose writes a world stands. What counts as a write is what
// changes evidence: a claim that is taken, a move to a state. A lease that is
// renewed or given back does not, or the numbers of writes would depend on time.
type bounded struct {
	receipt.InPlace
	gate worker.RecordGate

	mu sync.Mutex
	// lost are writes that were acknowledged and that only this life sees; some: there
	// is one.
	lost map[string]*receipt.Receipt
	some atomic.Bool

	// first is the room for a crossing, at counts those on their way.
	first crossing
	at    atomic.Int32
}

// crossing is one write on its way past the gate: of a receipt that was in state from,
// or that a claim takes, as it was decided. It refers to what its caller has.
type crossing struct {
	*bounded
	ctx      context.Context
	r        *receipt.Receipt
	from     receipt.State
	claim    *receipt.Claim
	decision *receipt.Decision
	err      error
	// carried is the carry of this crossing, made once.
	carried func(worker.RecordOrder) worker.RecordEnd
}

// believed is what this life takes for stored and is not, or nil.
func (b *bounded) believed(actionID string) *receipt.Receipt {
	if !b.some.Load() {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.lost[actionID]
}

func (b *bounded) believe(r receipt.Receipt) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.lost == nil {
		b.lost = map[string]*receipt.Receipt{}
	}
	b.lost[r.ActionID] = &r
	b.some.Store(true)
}

// atBoundary lets the gate stand at the store's writes, where there is one.
func atBoundary(s receipt.Store, gate worker.RecordGate) receipt.InPlace {
	if gate == nil {
		return receipt.Placed(s)
	}
	return new(bounded).around(receipt.Placed(s), gate)
}

// around lets the gate stand at the store's writes, of which none is lost yet.
func (b *bounded) around(s receipt.InPlace, gate worker.RecordGate) *bounded {
	b.InPlace, b.gate, b.lost = s, gate, nil
	b.some.Store(false)
	return b
}

// idle reports whether no write is on its way.
func (b *bounded) idle() bool { return b.at.Load() == 0 }

// Claim is as [receipt.Store] says.
func (b *bounded) Claim(ctx context.Context, c receipt.Claim) (receipt.Receipt, bool, error) {
	var d receipt.Decision
	err := b.Take(ctx, &c, &d)
	return d.Receipt, d.Fresh, err
}

// Look is as [receipt.InPlace] says, as far as this life can see.
func (b *bounded) Look(ctx context.Context, c *receipt.Claim, d *receipt.Decision) error {
	if b.some.Load() {
		return receipt.Look(ctx, b, c, d)
	}
	return b.InPlace.Look(ctx, c, d)
}

// Take is as [receipt.InPlace] says.
func (b *bounded) Take(ctx context.Context, c *receipt.Claim, d *receipt.Decision) error {
	if err := b.Look(ctx, c, d); err != nil || !d.Write {
		if err == nil && b.believed(d.Receipt.ActionID) != nil {
			return nil
		}
		return b.InPlace.Take(ctx, c, d)
	}
	x := b.crossing(ctx, &d.Receipt)
	x.claim, x.decision = c, d
	err := x.cross()
	if err != nil {
		*d = receipt.Decision{}
	}
	return err
}

// Write is as [receipt.Store] says.
func (b *bounded) Write(ctx context.Context, from receipt.State, r receipt.Receipt) error {
	return b.Put(ctx, from, &r)
}

// Put is as [receipt.InPlace] says.
func (b *bounded) Put(ctx context.Context, from receipt.State, r *receipt.Receipt) error {
	now := b.believed(r.ActionID)
	if now != nil && from == r.State && len(r.History) == len(now.History) {
		b.believe(*r)
		return nil
	}
	if now == nil && from == r.State {
		stored, err := b.Get(ctx, r.ActionID)
		if err != nil {
			return err
		}
		if len(stored.History) == len(r.History) {
			return b.InPlace.Put(ctx, from, r)
		}
	}
	x := b.crossing(ctx, r)
	x.from = from
	return x.cross()
}

// crossing begins the write of a receipt. An executor writes at every step, and mostly
// one thing at a time.
func (b *bounded) crossing(ctx context.Context, r *receipt.Receipt) *crossing {
	c := &b.first
	if b.at.Add(1) > 1 {
		c = &crossing{}
	}
	if c.carried == nil {
		c.carried = c.carry
	}
	c.bounded, c.ctx, c.r = b, ctx, r
	return c
}

// cross asks the gate, which has the write carried out as it wants.
func (c *crossing) cross() error {
	gone := c.gate.Write(c.ctx, worker.Record{ActionID: c.r.ActionID, State: string(c.r.State), Attempt: c.r.Attempt}, c.carried)
	err := c.err
	if err == nil {
		err = gone
	}
	b := c.bounded
	*c = crossing{carried: c.carried}
	b.at.Add(-1)
	return err
}

// carry makes the write as it is ordered. Once a write of an action was lost, this
// life's later ones are too: a store does not keep the end without the beginning.
func (c *crossing) carry(order worker.RecordOrder) worker.RecordEnd {
	if order == worker.RecordPass && c.believed(c.r.ActionID) != nil {
		order = worker.RecordLose
	}
	switch order {
	case worker.RecordFail:
		c.err = fmt.Errorf("%w: the write of %s as %s failed", receipt.ErrUnwritable, c.r.ActionID, c.r.State)
		return worker.RecordFailed
	case worker.RecordConflict:
		c.err = fmt.Errorf("%w: the write of %s as %s met another", receipt.ErrStale, c.r.ActionID, c.r.State)
		return worker.RecordConflicted
	case worker.RecordLose:
		if c.err = c.lose(); c.err != nil {
			return worker.RecordRefused
		}
		c.believe(*c.r)
		return worker.RecordLost
	}
	if c.err = c.write(); c.err != nil {
		return worker.RecordRefused
	}
	return worker.RecordWritten
}

// write lets the store make it.
func (c *crossing) write() error {
	if c.claim == nil {
		return c.InPlace.Put(c.ctx, c.from, c.r)
	}
	return c.InPlace.Take(c.ctx, c.claim, c.decision)
}

// lose says what the store would say.
func (c *crossing) lose() error {
	if c.claim != nil {
		return nil
	}
	now, err := c.Get(c.ctx, c.r.ActionID)
	if err != nil {
		return err
	}
	return receipt.Refuse(now, c.from, *c.r)
}

// Get is as [receipt.Store] says.
func (b *bounded) Get(ctx context.Context, actionID string) (receipt.Receipt, error) {
	if r := b.believed(actionID); r != nil {
		return *r, nil
	}
	return b.InPlace.Get(ctx, actionID)
}

// ByTrigger is as [receipt.Store] says.
func (b *bounded) ByTrigger(ctx context.Context, triggerKey string) ([]receipt.Receipt, error) {
	stored, err := b.InPlace.ByTrigger(ctx, triggerKey)
	if err != nil {
		return nil, err
	}
	return b.seen(stored, func(r receipt.Receipt) bool { return r.TriggerKey == triggerKey }), nil
}

// Unsettled is as [receipt.Store] says.
func (b *bounded) Unsettled(ctx context.Context) ([]receipt.Receipt, error) {
	stored, err := b.InPlace.Unsettled(ctx)
	if err != nil {
		return nil, err
	}
	return b.seen(stored, func(r receipt.Receipt) bool { return !r.State.Settled() }), nil
}

// seen is what is stored, with what this life believes in its place.
func (b *bounded) seen(stored []receipt.Receipt, wanted func(receipt.Receipt) bool) (out []receipt.Receipt) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, r := range stored {
		if _, mine := b.lost[r.ActionID]; !mine {
			out = append(out, r)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(b.lost)) {
		if r := b.lost[id]; wanted(*r) {
			out = append(out, *r)
		}
	}
	return out
}
