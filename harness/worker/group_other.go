//go:build !linux && !darwin

package worker

import (
	"os/exec"
	"syscall"
)

// Kills says whether drill can end a worker on this system together with all that it
// started; see [ErrSystem].
const Kills = false

// What follows is never come to: [Exec] starts nothing here.

func ownGroup(*exec.Cmd) {}

func killGroup(int) {}

func signalGroup(int, syscall.Signal) bool { return false }

func allStand(int) bool { return false }

const (
	sigStop = syscall.Signal(19)
	sigCont = syscall.Signal(18)
)

func ended(int) bool { return false }

func signalName(s syscall.Signal) string { return s.String() }

func dying(int) bool { return false }
