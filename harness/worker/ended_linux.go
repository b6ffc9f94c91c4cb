package worker

import (
	"errors"

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
