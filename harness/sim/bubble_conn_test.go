package sim

import (
	"io"
	"net"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestAWirelessConnection ends, is reset and keeps deadlines as a TCP connection does.
func TestAWirelessConnection(t *testing.T) {
	room := make([]byte, 8)
	near, far := newWireless(nil)
	_, err := far.Write([]byte("answer"))
	require.NoError(t, err)
	require.NoError(t, far.Close())
	n, err := near.Read(room)
	require.NoError(t, err)
	require.Equal(t, "answer", string(room[:n]))
	_, err = near.Read(room)
	require.Equal(t, io.EOF, err, "what was written comes before the end")
	_, err = near.Write(room)
	require.ErrorIs(t, err, syscall.EPIPE)
	require.NoError(t, near.Close())
	_, err = near.Read(room)
	require.ErrorIs(t, err, net.ErrClosed)

	near, far = newWireless(nil)
	_, err = far.Write([]byte("lost"))
	require.NoError(t, err)
	far.reset()
	_, err = near.Read(room)
	require.ErrorIs(t, err, syscall.ECONNRESET, "a RST drops what was not read")
	_, err = near.Write(room)
	require.ErrorIs(t, err, syscall.ECONNRESET)

	near, _ = newWireless(nil)
	require.NoError(t, near.SetDeadline(time.Now().Add(time.Millisecond)))
	_, err = near.Read(room)
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
	require.NoError(t, near.SetDeadline(time.Time{}))
	waits := make(chan error, 1)
	go func() {
		_, err := near.Read(make([]byte, 8))
		waits <- err
	}()
	require.NoError(t, near.SetReadDeadline(time.Now()))
	require.ErrorIs(t, <-waits, os.ErrDeadlineExceeded, "also for one that waits already")
}
