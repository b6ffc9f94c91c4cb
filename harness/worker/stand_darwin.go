package worker

import "golang.org/x/sys/unix"

const (
	sigStop = unix.SIGSTOP
	sigCont = unix.SIGCONT
)

// unread asks how many bytes of a pipe nobody has read (FIONREAD, sys/filio.h).
const unread = 0x4004667f

// The states of a process that is stopped, and of one that has ended (sys/proc.h).
const (
	stateStop   = 4
	stateZombie = 5
)

// allStand reports whether each process in the group that the process leads is stopped,
// or has ended.
func allStand(leader int) bool {
	group, err := unix.SysctlKinfoProcSlice("kern.proc.pgrp", leader)
	if err != nil {
		return false
	}
	for i := range group {
		if s := group[i].Proc.P_stat; s != stateStop && s != stateZombie {
			return false
		}
	}
	return true
}
