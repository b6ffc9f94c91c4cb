package memo

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type squared struct{ of, is int }

func square(t *Table[squared], of int) int {
	place := placeOf(t, of)
	if e := t.Find(func(e *squared) bool { return e.of == of }, func() uint64 { return hashOf(of) }); e != nil {
		return e.is
	}
	e := &squared{of, of * of}
	place.Keep(e)
	return e.is
}

func placeOf(t *Table[squared], of int) *Place[squared] {
	return t.At(hashOf(of))
}

func hashOf(of int) uint64 { return More(Hash(fmt.Append(nil, of)), "square") }

// TestTwoOfOnePlaceStayBoth: they do not push each other out.
func TestTwoOfOnePlaceStayBoth(t *testing.T) {
	var kept Table[squared]
	one := placeOf(&kept, 0)
	other := 1
	for placeOf(&kept, other) != one {
		other++
	}
	square(&kept, 0)
	square(&kept, other)
	first, second := one[0].Load(), one[1].Load()
	for range 3 {
		require.Zero(t, square(&kept, 0))
		require.Equal(t, other*other, square(&kept, other))
	}
	require.Same(t, first, one[0].Load())
	require.Same(t, second, one[1].Load())
}

// TestATableKeepsWhatWasReadLast: what fell into one place is told apart by who asks.
func TestATableKeepsWhatWasReadLast(t *testing.T) {
	var kept Table[squared]
	for i := range 3 * Most {
		require.Equal(t, i*i, square(&kept, i))
		require.Equal(t, squared{i, i * i}, *placeOf(&kept, i)[0].Load())
	}
}

func TestAHashKnowsTheOrderOfTexts(t *testing.T) {
	body := []byte("body")
	assert.Equal(t, More(More(Hash(body), "a"), "b"), More(More(Hash(body), "a"), "b"))
	assert.NotEqual(t, More(More(Hash(body), "a"), "b"), More(More(Hash(body), "b"), "a"))
	assert.NotEqual(t, More(Hash(body), "a"), More(Hash(nil), "a"))
}

// TestWhatIsAskedByTurnsIsFoundWithoutAHash: a few results that came up twice are.
func TestWhatIsAskedByTurnsIsFoundWithoutAHash(t *testing.T) {
	var kept Table[squared]
	hashes := 0
	ask := func(of int) *squared {
		return kept.Find(func(e *squared) bool { return e.of == of }, func() uint64 {
			hashes++
			return Hash(fmt.Append(nil, of))
		})
	}
	for i := range lately {
		require.Nil(t, ask(i))
		kept.At(Hash(fmt.Append(nil, i))).Keep(&squared{i, i * i})
	}
	for range 3 {
		for i := range lately {
			require.Equal(t, &squared{i, i * i}, ask(i))
		}
	}
	require.Equal(t, 2*lately, hashes, "asked for at first, and when each came up again")
	require.Nil(t, ask(lately), "what nobody kept")
}

func TestManyAtATable(t *testing.T) {
	var kept Table[squared]
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for i := range 2 * Most {
				if got := square(&kept, i); got != i*i {
					t.Errorf("%d has the result %d", i, got)
				}
			}
		})
	}
	all.Wait()
}
