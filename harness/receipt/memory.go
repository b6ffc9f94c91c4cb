package receipt

import (
	"context"
	"slices"
	"sync"
	"time"

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

type kept struct {
	Receipt
	archived bool
}

type use struct{ approval, action string }

// few is how many receipts are looked through rather than looked up.
const few = 16

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

// history is room for that of a new receipt, which is written on in it.
func (m *Memory) history() []Entry {
	return m.histories.Take(mostMoves)[:0]
}

// at returns what is kept of an action, or nil.
func (m *Memory) at(actionID string) *kept {
	if m.byID != nil {
		if i, ok := m.byID[actionID]; ok {
			return &m.kept[i]
		}
		return nil
	}
	for i := range m.kept {
		if m.kept[i].ActionID == actionID {
			return &m.kept[i]
		}
	}
	return nil
}

// put keeps a receipt in the place of the one before, or as a new one.
func (m *Memory) put(r *Receipt) *kept {
	m.changes++
	if k := m.at(r.ActionID); k != nil {
		k.Receipt = *r
		return k
	}
	last := len(m.kept)
	m.kept = slices.Grow(m.kept, 1)[:last+1]
	k := &m.kept[last]
	k.Receipt, k.archived = *r, false
	switch {
	case m.byID != nil:
		m.byID[r.ActionID] = last
	case len(m.kept) > few:
		m.byID = map[string]int{}
		for i := range m.kept {
			m.byID[m.kept[i].ActionID] = i
		}
	}
	return k
}

// usedBy is the action that consumed an approval, or empty.
func (m *Memory) usedBy(approvalID string) string {
	if m.users != nil {
		return m.users[approvalID]
	}
	for _, u := range m.used {
		if u.approval == approvalID {
			return u.action
		}
	}
	return ""
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

// use notes that an action consumed an approval.
func (m *Memory) use(approvalID, actionID string) {
	if m.usedBy(approvalID) == actionID {
		return
	}
	m.changes++
	m.used = append(m.used, use{approvalID, actionID})
	switch {
	case m.users != nil:
		m.users[approvalID] = actionID
	case len(m.used) > few:
		m.users = map[string]string{}
		for _, u := range m.used {
			m.users[u.approval] = u.action
		}
	}
}

// find returns the receipt of a claim's action, or one that is alike, or nil.
func (m *Memory) find(c *Claim) *Receipt {
	if k := m.at(c.ActionID); k != nil {
		return &k.Receipt
	}
	for i := range m.kept {
		if r := &m.kept[i].Receipt; c.alike(r) {
			return r
		}
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
