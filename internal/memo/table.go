package memo

import (
	"hash/maphash"
	"sync/atomic"
)

// Table keeps results of one pure function, each together with all that was read for
// it, in places that a hash picks. Who asks compares what is read with what is kept
// there: no key has to be put together. Each place holds the two that fell into it last,
// so that what is kept is bounded, and two that come up all the time do not push each
// other out. It is safe for concurrent use, and its zero value is ready. A result
// belongs to everybody who asks: nobody may change what it refers to.
type Table[E any] struct {
	// lately are those that were asked for again last, whatever their hash; turn counts what
	// was put there.
	lately [lately]atomic.Pointer[E]
	turn   atomic.Uint32
	places [Most / 2]Place[E]
}

// lately is how many results are found without a hash: a search mostly asks for the same
// few by turns.
const lately = 8

// Lately returns what is meant where it is among those of lately, or nil.
func (t *Table[E]) Lately(is func(*E) bool) *E {
	for i := range t.lately {
		if e := t.lately[i].Load(); e != nil && is(e) {
			return e
		}
	}
	return nil
}

// Find returns what is kept of the hash and is what is meant, or nil. A hash is asked for
// only where what is meant was not among those of lately.
func (t *Table[E]) Find(is func(*E) bool, hash func() uint64) *E {
	if e := t.Lately(is); e != nil {
		return e
	}
	place := t.At(hash())
	for i := range place {
		if e := place[i].Load(); e != nil && is(e) {
			t.lately[t.turn.Add(1)%lately].Store(e)
			return e
		}
	}
	return nil
}

// Place is where results of one hash are kept.
type Place[E any] [2]atomic.Pointer[E]

// At returns the place of a hash.
func (t *Table[E]) At(hash uint64) *Place[E] { return &t.places[hash%uint64(len(t.places))] }

// Keep keeps a result, and forgets the older of two.
func (p *Place[E]) Keep(e *E) {
	p[1].Store(p[0].Load())
	p[0].Store(e)
}

var seed = maphash.MakeSeed()

// Hash begins the hash of what is read, and More adds to it.
func Hash(b []byte) uint64 { return maphash.Bytes(seed, b) }

// Number adds a number to a hash.
func Number(hash, n uint64) uint64 { return (hash ^ n) * 0x9E3779B97F4A7C15 }

// More adds a text to a hash.
func More(hash uint64, text string) uint64 {
	// An odd factor keeps the order of texts: Knuth's, 2^64 over the golden ratio.
	return hash*0x9E3779B97F4A7C15 + maphash.String(seed, text)
}
