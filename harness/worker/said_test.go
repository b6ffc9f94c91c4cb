//go:build linux || darwin

package worker

import (
	"io"
	"os"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWhatWasSaidIsDealtWith: whoever asks goes on once all that was printed before was
// handed on, and does not wait for more.
func TestWhatWasSaidIsDealtWith(t *testing.T) {
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	out, err := newSaid(r)
	require.NoError(t, err)
	out.through()
	var lines atomic.Int32
	var all sync.WaitGroup
	all.Go(func() {
		defer out.end()
		readLines(out, func([]byte, bool) { lines.Add(1) })
	})
	for n := range int32(200) {
		_, err = io.WriteString(w, "a line\n")
		require.NoError(t, err)
		out.through()
		require.Equal(t, n+1, lines.Load())
	}
	var talk sync.WaitGroup
	stop := make(chan struct{})
	talk.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				_, _ = io.WriteString(w, "more\n")
			}
		}
	})
	for range 20 {
		out.through()
	}
	close(stop)
	talk.Wait()
	require.NoError(t, w.Close())
	all.Wait()
	out.through()
}

// TestNobodyReadsOn: what nobody reads any more is dealt with.
func TestNobodyReadsOn(t *testing.T) {
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	defer w.Close()
	out, err := newSaid(r)
	require.NoError(t, err)
	_, err = io.WriteString(w, "a line\n")
	require.NoError(t, err)
	out.end()
	out.through()
}
