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
	slot := t.At(More(Hash(fmt.Append(nil, of)), "square"))
	if e := slot.Load(); e != nil && e.of == of {
		return e.is
	}
	e := &squared{of, of * of}
	slot.Store(e)
	return e.is
}

// TestATableKeepsWhatWasReadLast: what fell into one slot is told apart by who asks.
func TestATableKeepsWhatWasReadLast(t *testing.T) {
	var kept Table[squared]
	for i := range 3 * Most {
		require.Equal(t, i*i, square(&kept, i))
		slot := kept.At(More(Hash(fmt.Append(nil, i)), "square"))
		require.Equal(t, squared{i, i * i}, *slot.Load())
	}
}

func TestAHashKnowsTheOrderOfTexts(t *testing.T) {
	body := []byte("body")
	assert.Equal(t, More(More(Hash(body), "a"), "b"), More(More(Hash(body), "a"), "b"))
	assert.NotEqual(t, More(More(Hash(body), "a"), "b"), More(More(Hash(body), "b"), "a"))
	assert.NotEqual(t, More(Hash(body), "a"), More(Hash(nil), "a"))
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
