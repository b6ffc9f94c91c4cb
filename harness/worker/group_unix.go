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
func killGroup(leader int) { signalGroup(leader, unix.SIGKILL) }

// signalGroup sends a signal to all that is left of the group that the process leads.
func signalGroup(leader int, s syscall.Signal) bool { return unix.Kill(-leader, s) == nil }

func signalName(s syscall.Signal) string { return unix.SignalName(s) }
