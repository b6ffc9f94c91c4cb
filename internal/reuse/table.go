package reuse

// Table is a map of what is mostly a handful: the first entries are looked through,
// which is faster than to hash them, and only more than those are looked up. Its zero
// value is empty; after Reset it is, too, and keeps its memory.
type Table[K comparable, V any] struct {
	entries []entry[K, V]
	// index is made once there are more than a few.
	index map[K]int
}

type entry[K comparable, V any] struct {
	key   K
	value V
}

// few is how many entries are looked through.
const few = 8

// Find returns the value of a key, or nil. It may be changed until the next At.
func (t *Table[K, V]) Find(k K) *V {
	if i := t.place(k); i >= 0 {
		return &t.entries[i].value
	}
	return nil
}

// place returns where a key stands, or -1.
func (t *Table[K, V]) place(k K) int {
	if t.index != nil {
		if i, ok := t.index[k]; ok {
			return i
		}
		return -1
	}
	for i := range t.entries {
		if t.entries[i].key == k {
			return i
		}
	}
	return -1
}

// Get returns the value of a key, or the zero value.
func (t *Table[K, V]) Get(k K) (v V) {
	if p := t.Find(k); p != nil {
		v = *p
	}
	return v
}

// At returns the value of a key, the zero value where it is new. It may be changed
// until the next At.
func (t *Table[K, V]) At(k K) *V {
	if p := t.Find(k); p != nil {
		return p
	}
	t.entries = append(t.entries, entry[K, V]{key: k})
	n := len(t.entries)
	switch {
	case t.index != nil:
		t.index[k] = n - 1
	case n > few:
		t.index = make(map[K]int, 4*few)
		for i := range t.entries {
			t.index[t.entries[i].key] = i
		}
	}
	return &t.entries[n-1].value
}

// Drop forgets a key. What was found before may be another's value now.
func (t *Table[K, V]) Drop(k K) {
	i, last := t.place(k), len(t.entries)-1
	if i < 0 {
		return
	}
	moved := t.entries[last]
	t.entries[i], t.entries[last] = moved, entry[K, V]{}
	t.entries = t.entries[:last]
	if t.index != nil {
		t.index[moved.key] = i
		delete(t.index, k)
	}
}

// Len returns how many entries there are.
func (t *Table[K, V]) Len() int { return len(t.entries) }

// Reset forgets all entries.
func (t *Table[K, V]) Reset() {
	clear(t.entries)
	t.entries, t.index = t.entries[:0], nil
}
