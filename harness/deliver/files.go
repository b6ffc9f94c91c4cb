package deliver

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Files counts the regular files below a directory, and says whether one of them holds
// a text that leaks.
func Files(dir string, leaks func(string) bool) (n int, leaky bool, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		n++
		b, err := os.ReadFile(path)
		leaky = leaky || err == nil && leaks(string(b))
		return err
	})
	if err != nil {
		err = fmt.Errorf("state directory: %w", err)
	}
	return n, leaky, err
}
