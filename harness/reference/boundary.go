package reference

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/retrydrill/drill/harness/receipt"
	"github.com/retrydrill/drill/harness/worker"
)

// bounded is a store at whose writes a world stands. What counts as a write is what
// changes evidence: a claim that is taken, a move to a state. A lease that is
// renewed or given back does not, or the numbers of writes would depend on time.
type bounded struct {
	receipt.Store
	gate worker.RecordGate

	mu sync.Mutex
	// lost are writes that were acknowledged and that only this life sees.
	lost map[string]*receipt.Receipt
}

// crossing is one write on its way past the gate: of a receipt that was in state from,
// or that a claim takes.
type crossing struct {
	*bounded
	ctx    context.Context
	r      receipt.Receipt
	from   receipt.State
	claim  receipt.Claim
	claims bool
	fresh  bool
	err    error
	// carried is the carry of this crossing, made once.
	carried func(worker.RecordOrder) worker.RecordEnd
}

// crossings are used again: an executor writes at every step of every trial.
var crossings = sync.Pool{New: func() any {
	c := &crossing{}
	c.carried = c.carry
	return c
}}

// believed is what this life takes for stored and is not, or nil.
func (b *bounded) believed(actionID string) *receipt.Receipt {
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
}

// atBoundary lets the gate stand at the store's writes, where there is one.
func atBoundary(s receipt.Store, gate worker.RecordGate) receipt.Store {
	if gate == nil {
		return s
	}
	return &bounded{Store: s, gate: gate}
}

// Claim is as [receipt.Store] says.
func (b *bounded) Claim(ctx context.Context, c receipt.Claim) (r receipt.Receipt, fresh bool, err error) {
	d, err := b.decide(ctx, c)
	if err != nil || !d.Write {
		if err == nil && b.believed(d.Receipt.ActionID) != nil {
			return d.Receipt, d.Fresh, nil
		}
		return b.Store.Claim(ctx, c)
	}
	x := b.crossing(ctx, d.Receipt)
	x.claim, x.claims, x.fresh = c, true, d.Fresh
	return x.cross()
}

// decide says what a claim would come to, as far as this life can see.
func (b *bounded) decide(ctx context.Context, c receipt.Claim) (receipt.Decision, error) {
	known, err := b.ByTrigger(ctx, c.TriggerKey)
	if err != nil {
		return receipt.Decision{}, err
	}
	if r, err := b.Get(ctx, c.ActionID); err == nil {
		known = append([]receipt.Receipt{r}, known...)
	}
	var found *receipt.Receipt
	if i := slices.IndexFunc(known, func(r receipt.Receipt) bool { return r.ActionID == c.ActionID || c.Alike(r) }); i >= 0 {
		found = &known[i]
	}
	by, err := b.UsedBy(ctx, c.Approval.ID)
	if err != nil {
		return receipt.Decision{}, err
	}
	return receipt.Decide(c, found, by)
}

// Write is as [receipt.Store] says.
func (b *bounded) Write(ctx context.Context, from receipt.State, r receipt.Receipt) error {
	now := b.believed(r.ActionID)
	if now != nil && from == r.State && len(r.History) == len(now.History) {
		b.believe(r)
		return nil
	}
	if now == nil && from == r.State {
		stored, err := b.Get(ctx, r.ActionID)
		if err != nil {
			return err
		}
		if len(stored.History) == len(r.History) {
			return b.Store.Write(ctx, from, r)
		}
	}
	x := b.crossing(ctx, r)
	x.from = from
	_, _, err := x.cross()
	return err
}

// crossing begins the write of a receipt.
func (b *bounded) crossing(ctx context.Context, r receipt.Receipt) *crossing {
	c := crossings.Get().(*crossing)
	c.bounded, c.ctx, c.r = b, ctx, r
	c.from, c.claims, c.fresh, c.err = "", false, false, nil
	return c
}

// cross asks the gate, which has the write carried out as it wants. It returns the
// receipt as it is then, as far as this life knows.
func (c *crossing) cross() (r receipt.Receipt, fresh bool, err error) {
	gone := c.gate.Write(c.ctx, worker.Record{ActionID: c.r.ActionID, State: string(c.r.State), Attempt: c.r.Attempt}, c.carried)
	if err = cmp.Or(c.err, gone); err == nil {
		r, fresh = c.r, c.fresh
	}
	c.bounded, c.ctx = nil, nil
	crossings.Put(c)
	return r, fresh, err
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
		c.believe(c.r)
		return worker.RecordLost
	}
	if c.err = c.write(); c.err != nil {
		return worker.RecordRefused
	}
	return worker.RecordWritten
}

// write lets the store make it.
func (c *crossing) write() (err error) {
	if !c.claims {
		return c.Store.Write(c.ctx, c.from, c.r)
	}
	c.r, c.fresh, err = c.Store.Claim(c.ctx, c.claim)
	return err
}

// lose says what the store would say.
func (c *crossing) lose() error {
	if c.claims {
		return nil
	}
	now, err := c.Get(c.ctx, c.r.ActionID)
	if err != nil {
		return err
	}
	return receipt.Refuse(now, c.from, c.r)
}

// Get is as [receipt.Store] says.
func (b *bounded) Get(ctx context.Context, actionID string) (receipt.Receipt, error) {
	if r := b.believed(actionID); r != nil {
		return *r, nil
	}
	return b.Store.Get(ctx, actionID)
}

// ByTrigger is as [receipt.Store] says.
func (b *bounded) ByTrigger(ctx context.Context, triggerKey string) ([]receipt.Receipt, error) {
	stored, err := b.Store.ByTrigger(ctx, triggerKey)
	if err != nil {
		return nil, err
	}
	return b.seen(stored, func(r receipt.Receipt) bool { return r.TriggerKey == triggerKey }), nil
}

// Unsettled is as [receipt.Store] says.
func (b *bounded) Unsettled(ctx context.Context) ([]receipt.Receipt, error) {
	stored, err := b.Store.Unsettled(ctx)
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
