package worker

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// KillStrays kills every process whose environment holds the mark (see [Exec]):
// children that left their process group. It returns how many there were.
func KillStrays(mark string) int {
	if mark == "" {
		return 0
	}
	n := 0
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil || !bytes.Contains(append([]byte{0}, b...), append([]byte{0}, mark...)) {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(f)))
		if err == nil && pid != os.Getpid() && unix.Kill(pid, unix.SIGKILL) == nil {
			n++
		}
	}
	return n
}
