package suite

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/retrydrill/drill/harness"
)

// Keep writes a schedule into dir, under a name made from what it says, and
// returns the path. A reader finds it whole or not at all.
func Keep(dir string, s harness.Schedule) (path string, err error) {
	b, err := s.Marshal()
	if err == nil {
		path, err = keepBytes(dir, ".yaml", b)
	}
	if err != nil {
		return "", fmt.Errorf("replay file: %w", err)
	}
	return path, nil
}

// keepHistory writes a history into dir in the same way, as JSON Lines.
func keepHistory(dir string, h *harness.History) (path string, err error) {
	var b bytes.Buffer
	if err = h.Write(&b); err == nil {
		path, err = keepBytes(dir, ".jsonl", b.Bytes())
	}
	if err != nil {
		return "", fmt.Errorf("history: %w", err)
	}
	return path, nil
}

func keepBytes(dir, ext string, b []byte) (path string, err error) {
	path = filepath.Join(dir, harness.Digest(b)[len("sha256:"):][:16]+ext)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	f, err := os.CreateTemp(dir, ".writing-*")
	if err != nil {
		return "", err
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
	return path, err
}
