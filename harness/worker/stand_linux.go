package worker

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

const (
	sigStop = unix.SIGSTOP
	sigCont = unix.SIGCONT
)

// unread asks how many bytes of a pipe nobody has read (FIONREAD, ioctl_tty(2)).
const unread = unix.TIOCINQ

// allStand reports whether each thread of each process in the group that the process
// leads is stopped, or has ended. A process counts as stopped for its parent alone
// (waitid), and drill is the parent of the leader alone, so it reads what the kernel
// shows of all of them (proc_pid_stat(5)).
func allStand(leader int) bool {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, stat := range stats {
		if _, group, ok := stateOf(stat); !ok || group != leader {
			continue
		}
		threads, _ := filepath.Glob(filepath.Join(filepath.Dir(stat), "task", "[0-9]*", "stat"))
		for _, thread := range threads {
			if state, _, ok := stateOf(thread); ok && !bytes.ContainsRune([]byte("TZX"), rune(state)) {
				return false
			}
		}
	}
	return true
}

// stateOf reads a stat file: the third field is the state, the fifth the group. The
// second is a name in brackets that may hold anything.
func stateOf(file string) (state byte, group int, ok bool) {
	b, err := os.ReadFile(file)
	if err != nil {
		return 0, 0, false
	}
	fields := bytes.Fields(b[bytes.LastIndexByte(b, ')')+1:])
	if len(fields) < 3 {
		return 0, 0, false
	}
	group, err = strconv.Atoi(string(fields[2]))
	return fields[0][0], group, err == nil
}
