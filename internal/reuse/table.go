package reuse

// Table is a map of what is mostly a handful: the first entries are looked through,
// which is faster than to hash them, and only more than those are looked up. Its zero
// value is empty; after Reset it is, too, and keeps its memory.
type Table[K comparable, V any] struct {
	// Entries are in the order in which their keys came, until one is dropped.
	Entries []Entry[K, V]
	// index is made once there are more than a few.
	index map[K]int
}

// Entry is a key with its value.
type Entry[K comparable, V any] struct {
	Key   K
	Value V
}

// few is how many entries are looked through.
const few = 16

// Find returns the value of a key, or nil. It may be changed until the next At.
func (t *Table[K, V]) Find(k K) *V {
	if i := t.Place(k); i >= 0 {
		return &t.Entries[i].Value
	}
	return nil
}

// Place returns where a key stands among the entries, or -1.
func (t *Table[K, V]) Place(k K) int {
	if t.index != nil {
		if i, ok := t.index[k]; ok {
			return i
		}
		return -1
	}
	for i := range t.Entries {
		if t.Entries[i].Key == k {
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
	return t.add(k)
}

func (t *Table[K, V]) add(k K) *V {
	t.Entries = append(t.Entries, Entry[K, V]{Key: k})
	n := len(t.Entries)
	switch {
	case t.index != nil:
		t.index[k] = n - 1
	case n > few:
		t.index = make(map[K]int, 4*few)
		for i := range t.Entries {
			t.index[t.Entries[i].Key] = i
		}
	}
	return &t.Entries[n-1].Value
}

// Set gives a key a value.
func (t *Table[K, V]) Set(k K, v V) { *t.At(k) = v }

// Drop forgets a key. What was found before may be another's value now.
func (t *Table[K, V]) Drop(k K) {
	i, last := t.Place(k), len(t.Entries)-1
	if i < 0 {
		return
	}
	moved := t.Entries[last]
	t.Entries[i], t.Entries[last] = moved, Entry[K, V]{}
	t.Entries = t.Entries[:last]
	if t.index != nil {
		t.index[moved.Key] = i
		delete(t.index, k)
	}
}

// Reset forgets all entries.
func (t *Table[K, V]) Reset() {
	if len(t.Entries) > 0 {
		t.Entries, t.index = t.Entries[:0], nil
	}
}
