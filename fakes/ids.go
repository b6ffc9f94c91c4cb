package fakes

import (
	"slices"

	"github.com/retrydrill/drill/internal/memo"
	"github.com/retrydrill/drill/internal/splitmix"
)

// id returns the n-th name of a kind: the seed and the order decide it, nothing else.
func (f *Fake) id(prefix string, n uint64, length int) string {
	return f.listed(prefix, n, length)[0]
}

// madeID is a name with what it was made of: the trials of a search have one seed, and
// in each the same names come up. list holds the name alone.
type madeID struct {
	prefix  string
	seed, n uint64
	length  int
	list    []string
}

// listed is id as the list of a header's values, which nobody changes.
func (f *Fake) listed(prefix string, n uint64, length int) []string {
	if f.known == nil {
		return []string{f.spell(prefix, n, length)}
	}
	place := f.known.ids.At(memo.Number(memo.Number(uint64(len(prefix)), n), f.o.Seed))
	for i := range place {
		if e := place[i].Load(); e != nil && e.n == n && e.seed == f.o.Seed && e.length == length && e.prefix == prefix {
			return e.list
		}
	}
	list := []string{f.spell(prefix, n, length)}
	place.Keep(&madeID{prefix, f.o.Seed, n, length, list})
	return list
}

// spell makes a name.
func (f *Fake) spell(prefix string, n uint64, length int) string {
	var room [64]byte
	b := slices.Grow(append(room[:0], prefix...), length)[:len(prefix)+length]
	at := b[len(prefix):]
	state := f.o.Seed*0x9E3779B97F4A7C15 + n<<8 + uint64(len(prefix))
	var bits uint64
	for i := 0; i < length; i += 2 {
		if i%10 == 0 {
			bits = splitmix.Next(&state)
		}
		two := &pairs[bits%uint64(len(pairs))]
		bits /= uint64(len(pairs))
		if at[i] = two[0]; i+1 < length {
			at[i+1] = two[1]
		}
	}
	return string(b)
}

const letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// pairs are all of two letters, the first of which comes round first.
var pairs = func() (out [len(letters) * len(letters)][2]byte) {
	for i := range out {
		out[i] = [2]byte{letters[i%len(letters)], letters[i/len(letters)]}
	}
	return out
}()
