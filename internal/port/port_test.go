//go:build linux || darwin

package port_test

import (
	"net"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/internal/port"
)

func TestAHeldPortRefusesAndIsThereToListenOn(t *testing.T) {
	h, err := port.Hold()
	require.NoError(t, err)
	_, err = net.Dial("tcp", h.Address())
	require.ErrorIs(t, err, syscall.ECONNREFUSED, "nobody listens")
	for range 2 {
		ln, err := net.Listen("tcp", h.Address())
		require.NoError(t, err)
		c, err := net.Dial("tcp", h.Address())
		require.NoError(t, err)
		require.NoError(t, c.Close())
		require.NoError(t, ln.Close())
	}
	other, err := port.Hold()
	require.NoError(t, err)
	require.NotEqual(t, h.Number, other.Number)
	require.NoError(t, other.Close())
	require.NoError(t, h.Close())
}
