package check

import "slices"

// table is a map of what is mostly a handful: the first entries are looked through,
// which is faster than to hash them, and only more than those are looked up. Its zero
// value is empty; after reset it is, too, and keeps its memory.
type table[K comparable, V any] struct {
	entries []entry[K, V]
	// index is made once there are more than a few.
	index map[K]int
}

type entry[K comparable, V any] struct {
	key   K
	value V
}

// find returns the value of a key, or nil. It may be changed until the next at.
func (t *table[K, V]) find(k K) *V {
	if t.index != nil {
		if i, ok := t.index[k]; ok {
			return &t.entries[i].value
		}
		return nil
	}
	for i := range t.entries {
		if t.entries[i].key == k {
			return &t.entries[i].value
		}
	}
	return nil
}

// place returns where a key stands among the entries, which are in the order in which
// their keys came, or -1.
func (t *table[K, V]) place(k K) int {
	if t.index != nil {
		if i, ok := t.index[k]; ok {
			return i
		}
		return -1
	}
	return slices.IndexFunc(t.entries, func(e entry[K, V]) bool { return e.key == k })
}

// get returns the value of a key, or the zero value.
func (t *table[K, V]) get(k K) (v V) {
	if p := t.find(k); p != nil {
		v = *p
	}
	return v
}

// at returns the value of a key, the zero value where it is new. It may be changed
// until the next at.
func (t *table[K, V]) at(k K) *V {
	if p := t.find(k); p != nil {
		return p
	}
	return t.add(k)
}

func (t *table[K, V]) add(k K) *V {
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

// set gives a key a value.
func (t *table[K, V]) set(k K, v V) { *t.at(k) = v }

func (t *table[K, V]) reset() { t.entries, t.index = t.entries[:0], nil }

// slab hands out values, and the same ones again, as they are, once used is 0.
type slab[T any] struct {
	chunks []*[perChunk]T
	used   int
}

// perChunk is how many values are made at once.
const perChunk = 16

func (s *slab[T]) at(i int) *T { return &s.chunks[uint(i)/perChunk][uint(i)%perChunk] }

func (s *slab[T]) next() *T {
	i := s.used
	if s.used++; uint(i)/perChunk == uint(len(s.chunks)) {
		s.chunks = append(s.chunks, new([perChunk]T))
	}
	return s.at(i)
}
