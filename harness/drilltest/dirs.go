package drilltest

import (
	"fmt"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/retrydrill/drill/harness/deliver"
)

// dirs makes state directories, and uses those again that were left empty: making one
// takes longer than many a trial.
type dirs struct {
	root string

	mu   sync.Mutex
	made int
	free []string
}

// untouched is when a directory was changed last in which nothing was ever made.
var untouched = time.Unix(0, 0)

// take returns an empty one.
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
	if err := os.Mkdir(dir, 0o700); err != nil {
		return "", fmt.Errorf("state directory: %w", err)
	}
	if err := os.Chtimes(dir, untouched, untouched); err != nil {
		return "", fmt.Errorf("state directory: %w", err)
	}
	return dir, nil
}

// left looks through one that a trial is done with.
func (d *dirs) left(dir string, leaks func(string) bool) (files int, leaky bool, err error) {
	at, err := os.Lstat(dir)
	if err == nil && at.ModTime().Equal(untouched) {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.free = append(d.free, dir)
		return 0, false, nil
	}
	files, leaky, err = deliver.Files(dir, leaks)
	// What can not be removed goes with the test's own directory.
	_ = os.RemoveAll(dir)
	return files, leaky, err
}
