package worker

import (
	"errors"

	"golang.org/x/sys/unix"
)

// ended waits for the end of a child and does not reap it. waitid is of no use here:
// it returns for a stopped child too (golang.org/issue/19314). A child that has ended
// already is not there any more for kqueue (ESRCH). It reports false at once where it
// can not tell.
func ended(pid int) bool {
	q, err := unix.Kqueue()
	if err != nil {
		return false
	}
	defer unix.Close(q)
	watch := make([]unix.Kevent_t, 1)
	unix.SetKevent(&watch[0], pid, unix.EVFILT_PROC, unix.EV_ADD|unix.EV_ONESHOT)
	watch[0].Fflags = unix.NOTE_EXIT
	for {
		_, err := unix.Kevent(q, watch, make([]unix.Kevent_t, 1), nil)
		if !errors.Is(err, unix.EINTR) {
			return err == nil || errors.Is(err, unix.ESRCH)
		}
	}
}

// dying can not be told here before a child is reaped; see [endGrace].
func dying(int) bool { return false }
