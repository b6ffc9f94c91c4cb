package receipt

import (
	"context"
	"time"
)

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
	for i := range m.kept {
		if k := &m.kept[i]; k.archived == q.Archived && q.Selects(k.Receipt) {
			out = append(out, k.Receipt)
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
	k := m.at(r.ActionID)
	if k == nil || k.archived {
		return missing(r.ActionID)
	}
	if k.Fence != r.Fence || k.State != r.State {
		return Changed(k.Receipt, r)
	}
	m.changes++
	k.archived = true
	return nil
}

// Keep takes a receipt in as it is, as a copy of another store's.
func (m *Memory) Keep(r Receipt) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.put(&r)
}

// Texts calls visit with every text of at least so many bytes that the receipts hold, for
// whoever looks for what must not stand there.
func (m *Memory) Texts(least int, visit func(string)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	see := func(s string) {
		if len(s) >= least {
			visit(s)
		}
	}
	for i := range m.kept {
		r := &m.kept[i].Receipt
		for _, s := range [...]*string{&r.ActionID, &r.TriggerKey, &r.BusinessKey, &r.Effect, &r.ApprovalID, &r.PolicyVersion, &r.Code,
			&r.RequestID, &r.Resource, &r.ErrorClass, &r.Detail, &r.Owner} {
			see(*s)
		}
		texts(map[string]any(r.Arguments), see)
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
