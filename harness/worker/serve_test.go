//go:build linux || darwin

package worker

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAServedLifeThatHasEnded: a hand-over that is for a life which has ended starts no other
// one, which would pass for it; and what it had answered before stands.
func TestAServedLifeThatHasEnded(t *testing.T) {
	s := &Serve{Command: []string{"sh", "-c", "exec sleep 3600"}}
	h := Handover{Raw: []byte(`{"protocol":1}`)}
	require.NoError(t, s.live(h, Listener{}))
	was := s.life
	require.True(t, was.Kill())
	killed := End{Note: "signal SIGKILL", Died: true}
	h.GoesOn = true
	require.Equal(t, killed, s.Deliver(t.Context(), h, Listener{}))
	require.Same(t, was, s.life)
	killed.Clean = true
	require.Equal(t, killed, s.ended(t.Context(), nil))
	require.NoError(t, s.live(h, Listener{}))
	require.NotSame(t, was, s.life)
	require.NoError(t, s.Close())
}
