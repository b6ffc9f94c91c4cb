package worker

import (
	"bytes"
	"errors"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// ended waits for the end of a child and does not reap it. It reports false at once
// where it can not tell.
func ended(pid int) bool {
	for {
		var info unix.Siginfo
		err := unix.Waitid(unix.P_PID, pid, &info, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return err == nil
		}
	}
}

// exiting is PF_EXITING of linux/sched.h, among the flags of proc_pid_stat(5).
const exiting = 0x4

// dying reports whether a child has begun to end: its connections close after that, and
// it can be reaped later still.
func dying(pid int) bool {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return true
	}
	// The name, in parentheses, may hold anything; state and flags are the first and the
	// seventh field behind it.
	f := bytes.Fields(b[bytes.LastIndexByte(b, ')')+1:])
	if len(f) < 7 {
		return false
	}
	flags, err := strconv.ParseUint(string(f[6]), 10, 64)
	return err == nil && flags&exiting != 0
}
