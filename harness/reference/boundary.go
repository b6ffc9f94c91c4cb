package reference

import (
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
	lost map[string]receipt.Receipt
}

// believed is what this life takes for stored and is not.
func (b *bounded) believed(actionID string) (r receipt.Receipt, mine bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	r, mine = b.lost[actionID]
	return r, mine
}

func (b *bounded) believe(r receipt.Receipt) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lost[r.ActionID] = r
}

// atBoundary lets the gate stand at the store's writes, where there is one.
func atBoundary(s receipt.Store, gate worker.RecordGate) receipt.Store {
	if gate == nil {
		return s
	}
	return &bounded{Store: s, gate: gate, lost: map[string]receipt.Receipt{}}
}

// Claim is as [receipt.Store] says.
func (b *bounded) Claim(ctx context.Context, c receipt.Claim) (r receipt.Receipt, fresh bool, err error) {
	d, err := b.decide(ctx, c)
	if err != nil || !d.Write {
		if _, mine := b.believed(d.Receipt.ActionID); mine && err == nil {
			return d.Receipt, d.Fresh, nil
		}
		return b.Store.Claim(ctx, c)
	}
	err = b.stand(ctx, d.Receipt, func() error {
		r, fresh, err = b.Store.Claim(ctx, c)
		return err
	}, func() error {
		r, fresh = d.Receipt, d.Fresh
		return nil
	})
	return r, fresh, err
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
	lose := func() error {
		now, err := b.Get(ctx, r.ActionID)
		if err != nil {
			return err
		}
		return receipt.Refuse(now, from, r)
	}
	now, mine := b.believed(r.ActionID)
	if mine && from == r.State && len(r.History) == len(now.History) {
		b.believe(r)
		return nil
	}
	if !mine && from == r.State {
		stored, err := b.Get(ctx, r.ActionID)
		if err != nil {
			return err
		}
		if len(stored.History) == len(r.History) {
			return b.Store.Write(ctx, from, r)
		}
	}
	return b.stand(ctx, r, func() error { return b.Store.Write(ctx, from, r) }, lose)
}

// stand asks the gate, and carries out what it wants. Once a write of an action was
// lost, this life's later ones are too: a store does not keep the end without the
// beginning.
func (b *bounded) stand(ctx context.Context, r receipt.Receipt, write, lose func() error) error {
	var err error
	gone := b.gate.Write(ctx, worker.Record{ActionID: r.ActionID, State: string(r.State), Attempt: r.Attempt}, func(order worker.RecordOrder) worker.RecordEnd {
		if _, mine := b.believed(r.ActionID); mine && order == worker.RecordPass {
			order = worker.RecordLose
		}
		switch order {
		case worker.RecordFail:
			err = fmt.Errorf("%w: the write of %s as %s failed", receipt.ErrUnwritable, r.ActionID, r.State)
			return worker.RecordFailed
		case worker.RecordConflict:
			err = fmt.Errorf("%w: the write of %s as %s met another", receipt.ErrStale, r.ActionID, r.State)
			return worker.RecordConflicted
		case worker.RecordLose:
			if err = lose(); err != nil {
				return worker.RecordRefused
			}
			b.believe(r)
			return worker.RecordLost
		}
		if err = write(); err != nil {
			return worker.RecordRefused
		}
		return worker.RecordWritten
	})
	if err == nil {
		err = gone
	}
	return err
}

// Get is as [receipt.Store] says.
func (b *bounded) Get(ctx context.Context, actionID string) (receipt.Receipt, error) {
	if r, mine := b.believed(actionID); mine {
		return r, nil
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
		if r := b.lost[id]; wanted(r) {
			out = append(out, r)
		}
	}
	return out
}
