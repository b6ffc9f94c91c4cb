package drilltest

import (
	"os"
	"strconv"
	"sync"
)

// dirs makes state directories, and uses those again that were left empty: making one
// takes longer than many a trial.
type dirs struct {
	root string

	mu   sync.Mutex
	made int
	free []string
}

func (d *dirs) take() (string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if n := len(d.free); n > 0 {
		dir := d.free[n-1]
		d.free = d.free[:n-1]
		return dir, nil
	}
	d.made++
	dir := d.root + string(os.PathSeparator) + strconv.Itoa(d.made)
	return dir, os.Mkdir(dir, 0o700)
}

func (d *dirs) left(dir string, files int) {
	if files > 0 {
		// What can not be removed goes with the test's own directory.
		_ = os.RemoveAll(dir)
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.free = append(d.free, dir)
}
