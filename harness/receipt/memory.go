package receipt

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

// Memory is a [Store] that forgets everything at its end: for benchmarks and for
// showing what an executor without durable receipts is worth.
type Memory struct {
	mu       sync.Mutex
	receipts map[string]Receipt
	order    []string
	used     map[string]string
	archived map[string]bool
}

var _ Books = (*Memory)(nil)

// NewMemory returns an empty store.
func NewMemory() *Memory {
	return &Memory{receipts: map[string]Receipt{}, used: map[string]string{}, archived: map[string]bool{}}
}

// Claim is as [Store] says.
func (m *Memory) Claim(_ context.Context, c Claim) (Receipt, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	d, err := Decide(c, m.find(c), m.used[c.Approval.ID])
	if err != nil {
		return Receipt{}, false, err
	}
	if d.Fresh {
		m.order = append(m.order, d.Receipt.ActionID)
	}
	if d.Write {
		m.receipts[d.Receipt.ActionID] = d.Receipt
		delete(m.archived, d.Receipt.ActionID)
	}
	if d.Uses != "" {
		m.used[d.Uses] = d.Receipt.ActionID
	}
	return d.Receipt, d.Fresh, nil
}

func (m *Memory) find(c Claim) *Receipt {
	if r, ok := m.receipts[c.ActionID]; ok {
		return &r
	}
	for _, id := range m.order {
		if r := m.receipts[id]; c.Alike(r) {
			return &r
		}
	}
	return nil
}

// Write is as [Store] says, save that nothing is durable.
func (m *Memory) Write(_ context.Context, from State, r Receipt) error {
	if err := CheckMove(from, r); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	now, ok := m.receipts[r.ActionID]
	if !ok || m.archived[r.ActionID] {
		return fmt.Errorf("%w: %s", ErrMissing, r.ActionID)
	}
	if err := Refuse(now, from, r); err != nil {
		return err
	}
	m.receipts[r.ActionID] = r
	return nil
}

// Each is as [Books] says.
func (m *Memory) Each(_ context.Context, q Query, f func(Receipt) error) error {
	for _, r := range m.selected(q) {
		if err := f(r); err != nil {
			return err
		}
	}
	return nil
}

func (m *Memory) selected(q Query) (out []Receipt) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, id := range m.order {
		if r := m.receipts[id]; m.archived[id] == q.Archived && q.Selects(r) {
			out = append(out, r)
		}
	}
	return out
}

// Archive is as [Books] says.
func (m *Memory) Archive(_ context.Context, r Receipt, _ time.Time) error {
	if err := CheckArchive(r); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	now, ok := m.receipts[r.ActionID]
	if !ok || m.archived[r.ActionID] {
		return fmt.Errorf("%w: %s", ErrMissing, r.ActionID)
	}
	if now.Fence != r.Fence || now.State != r.State {
		return Changed(now, r)
	}
	m.archived[r.ActionID] = true
	return nil
}

// Keep puts a receipt into the map as it is, as a copy of another store's.
func (m *Memory) Keep(r Receipt) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.receipts[r.ActionID]; !ok {
		m.order = append(m.order, r.ActionID)
	}
	m.receipts[r.ActionID] = r
}

// Get is as [Store] says.
func (m *Memory) Get(_ context.Context, actionID string) (Receipt, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, ok := m.receipts[actionID]
	if !ok {
		return Receipt{}, fmt.Errorf("%w: %s", ErrMissing, actionID)
	}
	return r, nil
}

// ByTrigger is as [Store] says.
func (m *Memory) ByTrigger(_ context.Context, triggerKey string) ([]Receipt, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []Receipt
	for _, id := range m.order {
		if r := m.receipts[id]; r.TriggerKey == triggerKey {
			out = append(out, r)
		}
	}
	return slices.Clip(out), nil
}

// Unsettled is as [Store] says.
func (m *Memory) Unsettled(context.Context) ([]Receipt, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []Receipt
	for _, id := range m.order {
		if r := m.receipts[id]; !r.State.Settled() {
			out = append(out, r)
		}
	}
	return out, nil
}

// UsedBy is as [Store] says.
func (m *Memory) UsedBy(_ context.Context, approvalID string) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.used[approvalID], nil
}

// Close does nothing.
func (m *Memory) Close() error { return nil }

// Texts calls visit with every text that the receipts hold, for whoever looks for
// what must not stand there.
func (m *Memory) Texts(visit func(string)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, id := range m.order {
		r := m.receipts[id]
		for _, s := range []string{r.ActionID, r.TriggerKey, r.BusinessKey, r.Effect, r.ApprovalID, r.PolicyVersion, r.Code,
			r.RequestID, r.Resource, r.ErrorClass, r.Detail, r.Owner} {
			visit(s)
		}
		texts(map[string]any(r.Arguments), visit)
	}
}

func texts(v any, visit func(string)) {
	switch x := v.(type) {
	case string:
		visit(x)
	case []any:
		for _, e := range x {
			texts(e, visit)
		}
	case map[string]any:
		for k, e := range x {
			visit(k)
			texts(e, visit)
		}
	}
}
