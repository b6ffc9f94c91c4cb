package worker

import (
	"io"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// TestWhatWasPrintedIsRead: also by a reader that comes to it later than nobody who can be
// killed may hold the output.
func TestWhatWasPrintedIsRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w, err := os.Pipe()
		require.NoError(t, err)
		defer r.Close()
		_, err = io.WriteString(w, "a report\n")
		require.NoError(t, err)
		require.NoError(t, w.Close())
		var read string
		var readers sync.WaitGroup
		readers.Go(func() {
			time.Sleep(outputGrace + time.Second)
			readLines(r, func(text []byte, _ bool) { read += string(text) })
		})
		drain(&readers, &ends{stdout: r}, "")
		require.Equal(t, "a report", read)
	})
}

// TestOutputThatNobodyCloses: the reading ends all the same.
func TestOutputThatNobodyCloses(t *testing.T) {
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	defer w.Close()
	in := &ends{stdout: r}
	in.expire()
	readLines(r, func([]byte, bool) { t.Error("nothing was printed") })
}
