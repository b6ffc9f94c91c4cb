package memo

import (
	"hash/maphash"
	"sync/atomic"
)

// Table keeps results of one pure function, each together with all that was read for
// it, in slots that a hash picks. Who asks compares what is read with what is kept
// there: no key has to be put together. Each slot holds what fell into it last, so that
// what is kept is bounded. It is safe for concurrent use, and its zero value is ready.
// A result belongs to everybody who asks: nobody may change what it refers to.
type Table[E any] struct{ slots [Most]atomic.Pointer[E] }

// At returns the slot of a hash.
func (t *Table[E]) At(hash uint64) *atomic.Pointer[E] { return &t.slots[hash%Most] }

var seed = maphash.MakeSeed()

// Hash begins the hash of what is read, and More adds to it.
func Hash(b []byte) uint64 { return maphash.Bytes(seed, b) }

// More adds a text to a hash.
func More(hash uint64, text string) uint64 {
	// An odd factor keeps the order of texts: Knuth's, 2^64 over the golden ratio.
	return hash*0x9E3779B97F4A7C15 + maphash.String(seed, text)
}
