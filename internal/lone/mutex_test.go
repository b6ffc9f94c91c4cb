package lone

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAMutexIsOne: unless it was told that nobody is there beside another one, it keeps
// the others out, and then it keeps out nobody.
func TestAMutexIsOne(t *testing.T) {
	var m Mutex
	n := 0
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 1000 {
				m.Lock()
				n++
				m.Unlock()
			}
		})
	}
	all.Wait()
	require.Equal(t, 8000, n)
	m.Lock()
	require.False(t, m.mu.TryLock())
	m.Unlock()
	m.Alone = true
	m.Lock()
	m.Lock()
	require.True(t, m.mu.TryLock())
	m.mu.Unlock()
	m.Unlock()
	m.Unlock()
}
