//go:build linux || darwin

package point

import (
	"time"

	"golang.org/x/sys/unix"
)

// sleep keeps its thread, so that it is real also where time is virtual, in a synctest
// bubble. A signal, which Go sends its threads too, does not end it.
func sleep(d time.Duration) {
	for end := monotonic() + d; d > 0; d = end - monotonic() {
		t := unix.NsecToTimeval(int64(d))
		_, _ = unix.Select(0, nil, nil, nil, &t)
	}
}

// monotonic is the system's clock, whatever Go's says.
func monotonic() time.Duration {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_MONOTONIC, &t) != nil {
		return 0
	}
	return time.Duration(t.Nano())
}
