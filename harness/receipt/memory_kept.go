package receipt

import "slices"

type kept struct {
	Receipt
	archived bool
}

type use struct{ approval, action string }

// few is how many receipts are looked through rather than looked up.
const few = 16

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
