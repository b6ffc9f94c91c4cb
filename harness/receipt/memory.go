package receipt

import (
	"context"
	"slices"
	"sync"

	"github.com/retrydrill/drill/internal/reuse"
)

// Memory is a [Store] that forgets everything at its end: for benchmarks and for
// showing what an executor without durable receipts is worth.
type Memory struct {
	mu sync.Mutex
	// kept are in the order of their making, used the single-use approvals.
	kept []kept
	used []use
	// changes counts from 1 what was changed.
	changes int
	// byID says where a receipt stands in kept, users who used an approval. They are
	// made once there are more than a few.
	byID  map[string]int
	users map[string]string
	// histories is the room for those of new receipts.
	histories reuse.Rows[Entry]
	// first is room for what most stores hold.
	first struct {
		kept [1]kept
		used [1]use
		// guard is that of the first life, lent says that it is in use.
		guard guarded
		lent  bool
	}
}

var (
	_ Books   = (*Memory)(nil)
	_ InPlace = (*Memory)(nil)
)

// NewMemory returns an empty store.
func NewMemory() *Memory {
	m := &Memory{changes: 1}
	m.kept, m.used = m.first.kept[:0], m.first.used[:0]
	return m
}

// Reset makes it an empty store, once nobody has it or a receipt of it any more: what
// it holds next is written into the room of what it held.
func (m *Memory) Reset() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.kept, m.used = m.kept[:0], m.used[:0]
	m.histories.Reset()
	m.byID, m.users, m.changes = nil, nil, 1
	m.first.lent = false
}

// guard is room for a life's.
func (m *Memory) guard() *guarded {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.first.lent {
		return &guarded{}
	}
	m.first.lent = true
	return &m.first.guard
}

// Claim is as [Store] says.
func (m *Memory) Claim(ctx context.Context, c Claim) (Receipt, bool, error) {
	var d Decision
	err := m.Take(ctx, &c, &d)
	return d.Receipt, d.Fresh, err
}

// Look is as [InPlace] says.
func (m *Memory) Look(_ context.Context, c *Claim, d *Decision) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.decide(c, d)
}

// decide decides on a claim as things are.
func (m *Memory) decide(c *Claim, d *Decision) error {
	if err := d.decide(c, m.find(c), m.usedBy(c.Approval.ID), m.history); err != nil {
		*d = Decision{}
		return err
	}
	d.since = m.changes
	return nil
}

// Take is as [InPlace] says.
func (m *Memory) Take(_ context.Context, c *Claim, d *Decision) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if d.since == 0 || d.since != m.changes {
		if err := m.decide(c, d); err != nil {
			return err
		}
	}
	d.since = 0
	if d.Write {
		m.put(&d.Receipt).archived = false
	}
	if d.Uses != "" {
		m.use(d.Uses, d.Receipt.ActionID)
	}
	return nil
}

// Write is as [Store] says, save that nothing is durable.
func (m *Memory) Write(ctx context.Context, from State, r Receipt) error { return m.Put(ctx, from, &r) }

// Put is as [InPlace] says.
func (m *Memory) Put(_ context.Context, from State, r *Receipt) error {
	if err := checkMove(from, r); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	k := m.at(r.ActionID)
	if k == nil || k.archived {
		return missing(r.ActionID)
	}
	if k.Fence != r.Fence || k.State != from {
		return Refuse(k.Receipt, from, *r)
	}
	m.changes++
	k.Receipt = *r
	return nil
}

// Get is as [Store] says.
func (m *Memory) Get(_ context.Context, actionID string) (Receipt, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if k := m.at(actionID); k != nil {
		return k.Receipt, nil
	}
	return Receipt{}, missing(actionID)
}

// ByTrigger is as [Store] says.
func (m *Memory) ByTrigger(_ context.Context, triggerKey string) ([]Receipt, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []Receipt
	for i := range m.kept {
		if r := &m.kept[i].Receipt; r.TriggerKey == triggerKey {
			out = append(out, *r)
		}
	}
	return slices.Clip(out), nil
}

// Unsettled is as [Store] says.
func (m *Memory) Unsettled(context.Context) ([]Receipt, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []Receipt
	for i := range m.kept {
		if r := &m.kept[i].Receipt; !r.State.Settled() {
			out = append(out, *r)
		}
	}
	return out, nil
}

// UsedBy is as [Store] says.
func (m *Memory) UsedBy(_ context.Context, approvalID string) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.usedBy(approvalID), nil
}

// Close does nothing.
func (m *Memory) Close() error { return nil }
