package suite

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/retrydrill/drill/harness"
)

// Keep writes a schedule into dir, under a name made from what it says, and
// returns the path. A reader finds it whole or not at all.
func Keep(dir string, s harness.Schedule) (path string, err error) {
	b, err := s.Marshal()
	if err != nil {
		return "", fmt.Errorf("replay file: %w", err)
	}
	path = filepath.Join(dir, harness.Digest(b)[len("sha256:"):][:16]+".yaml")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("replay file: %w", err)
	}
	f, err := os.CreateTemp(dir, ".writing-*")
	if err != nil {
		return "", fmt.Errorf("replay file: %w", err)
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	_, err = f.Write(b)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return "", fmt.Errorf("replay file: %w", err)
	}
	return path, nil
}
