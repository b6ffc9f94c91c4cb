package worker

import (
	"fmt"
	"os/exec"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestStraysHaveEnded: when they are told of nothing of them runs any more.
func TestStraysHaveEnded(t *testing.T) {
	mark := "DRILL_MARK=" + t.Name()
	for range 20 {
		cmd := exec.Command("sleep", "3600")
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		cmd.Env = append(cmd.Environ(), mark)
		require.NoError(t, cmd.Start())
		require.Equal(t, 1, KillStrays(mark))
		state, _, ok := stateOf(fmt.Sprintf("/proc/%d/stat", cmd.Process.Pid))
		require.True(t, ok, "nobody has reaped it")
		require.Equal(t, "Z", string(state))
		require.Error(t, cmd.Wait())
	}
	require.Zero(t, KillStrays(mark))
	require.Zero(t, KillStrays(""))
}
