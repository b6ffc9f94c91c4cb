package memo

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWhatIsKeptIsBounded(t *testing.T) {
	var m Of[int]
	for i := range 3*Most + 7 {
		key := fmt.Append(nil, i)
		_, ok := m.Get(key)
		require.False(t, ok)
		m.Put(key, i)
		v, ok := m.Get(key)
		require.True(t, ok)
		require.Equal(t, i, v)
		require.LessOrEqual(t, len(m.kept), Most)
	}
	long := []byte(strings.Repeat("x", Longest+1))
	m.Put(long, 1)
	_, ok := m.Get(long)
	assert.False(t, ok, "a long key")
	m.Put(long[1:], 1)
	_, ok = m.Get(long[1:])
	assert.True(t, ok)
}

func TestOfNilNothingIsKept(t *testing.T) {
	var m *Of[int]
	m.Put([]byte("a"), 1)
	_, ok := m.Get([]byte("a"))
	assert.False(t, ok)
}

func TestManyAtOnce(t *testing.T) {
	var m Of[string]
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for i := range 4 * Most {
				key := fmt.Append(nil, i%(Most+Most/2))
				if v, ok := m.Get(key); ok && v != string(key) {
					t.Errorf("%s has the result of %s", key, v)
				}
				m.Put(key, string(key))
			}
		})
	}
	all.Wait()
}

func BenchmarkGet(b *testing.B) {
	var m Of[string]
	key := []byte(strings.Repeat("k", 300))
	m.Put(key, "v")
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := m.Get(key); !ok {
			b.Fatal("forgotten")
		}
	}
}
