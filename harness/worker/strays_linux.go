package worker

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// strayGrace bounds the wait for the end of what was killed: one that the kernel keeps in a
// call of its own ends later.
const strayGrace = 5 * time.Second

// KillStrays kills every process whose environment holds the mark (see [Exec]):
// children that left their process group. It returns how many there were, once they have
// ended.
func KillStrays(mark string) int {
	if mark == "" {
		return 0
	}
	var killed []int
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil || !bytes.Contains(append([]byte{0}, b...), append([]byte{0}, mark...)) {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(f)))
		if err == nil && pid != os.Getpid() && unix.Kill(pid, unix.SIGKILL) == nil {
			killed = append(killed, pid)
		}
	}
	for end := time.Now().Add(strayGrace); anyRuns(killed) && time.Now().Before(end); {
		time.Sleep(look)
	}
	return len(killed)
}

// anyRuns reports whether one of the processes has not ended yet. One that has, and that its
// parent has not reaped, is Z (proc_pid_stat(5)).
func anyRuns(pids []int) bool {
	for _, pid := range pids {
		state, _, ok := stateOf(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
		if ok && !bytes.ContainsRune([]byte("ZX"), rune(state)) {
			return true
		}
	}
	return false
}
