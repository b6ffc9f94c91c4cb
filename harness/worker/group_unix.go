//go:build linux || darwin

package worker

import (
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// Kills says whether drill can end a worker on this system together with all that it
// started; see [ErrSystem].
const Kills = true

// ownGroup lets the command start in a process group of its own.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup sends SIGKILL to all that is left of the group that the process leads.
func killGroup(leader int) { _ = unix.Kill(-leader, unix.SIGKILL) }

// quitGroup asks the group that the process leads to end.
func quitGroup(leader int) { _ = unix.Kill(-leader, unix.SIGTERM) }

func signalName(s syscall.Signal) string { return unix.SignalName(s) }
