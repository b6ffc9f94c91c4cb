package worker

import (
	"os/exec"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWhoHasEndedIsStruckByNothing: a worker that has ended by itself takes signals until it
// is reaped, and is neither killed nor asked to end by them.
func TestWhoHasEndedIsStruckByNothing(t *testing.T) {
	for _, c := range []struct {
		name, script string
		// first: it ends before it is struck.
		first, struck bool
	}{
		{"it ended before", "exit 0", true, false},
		{"it was killed by another before", "kill -TERM $$", true, false},
		{"it lives", "exec sleep 3600", false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			cmd := exec.Command("sh", "-c", c.script)
			ownGroup(cmd)
			require.NoError(t, cmd.Start())
			p := &process{pid: cmd.Process.Pid, reaped: make(chan struct{})}
			if c.first {
				require.True(t, ended(p.pid))
				require.False(t, p.Term())
			}
			died := make(chan bool, 1)
			go func() { died <- p.Kill() }()
			if c.first {
				// It is not reaped before it is struck.
				for !p.struck.Load() {
					runtime.Gosched()
				}
			}
			p.wait(cmd)
			require.Equal(t, c.struck, <-died)
			require.False(t, p.Kill(), "it is not there any more")
		})
	}
}
