// Package memo keeps what pure functions returned, by the exact bytes that they read.
//
// A search runs the same few actions against the same profile many thousands of
// times: nearly every request and answer of a trial was there in the one before, byte
// for byte, and each is read by several parties. What is kept is bounded, and a result
// that is not kept is worked out again: no verdict hangs on it.
package memo

import "sync"

const (
	// Most is how many results are kept. One more, and all are forgotten: what comes up
	// all the time is there again at once, and no order has to be kept.
	Most = 1024
	// Longest is the longest key of which a result is kept, in bytes.
	Longest = 4096
)

// Of keeps results of one pure function. It is safe for concurrent use, and its zero
// value is ready; of nil nothing is kept. A result belongs to everybody who asks:
// nobody may change what it refers to.
type Of[V any] struct {
	mu   sync.RWMutex
	kept map[string]V
}

// Get returns the result that is kept for the key.
func (m *Of[V]) Get(key []byte) (v V, ok bool) {
	if m == nil {
		return v, false
	}
	m.mu.RLock()
	v, ok = m.kept[string(key)]
	m.mu.RUnlock()
	return v, ok
}

// Put keeps a result, unless its key is too long.
func (m *Of[V]) Put(key []byte, v V) {
	if m == nil || len(key) > Longest {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.kept == nil {
		m.kept = make(map[string]V)
	}
	if len(m.kept) >= Most {
		clear(m.kept)
	}
	m.kept[string(key)] = v
}
