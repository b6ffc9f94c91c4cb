package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFullStateDirectory: where the state can not be written the control says so,
// with the executor's own words, and nothing is left behind.
func TestFullStateDirectory(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=64k"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("mount: %v: this test needs a small file system of its own", err)
		}
		t.Skipf("mount: %v: this test needs root", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, 0) })
	self, err := os.Executable()
	require.NoError(t, err)
	// testscript runs the test binary as drill when it is called by that name.
	drill := filepath.Join(t.TempDir(), "drill")
	require.NoError(t, os.Symlink(self, drill))
	cmd := exec.Command(drill, "run", "control", "--target", "stripe-v1", "--parallel", "1")
	cmd.Dir, cmd.Env = t.TempDir(), append(os.Environ(), "TMPDIR="+dir)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	err = cmd.Run()
	var ee *exec.ExitError
	require.ErrorAs(t, err, &ee)
	require.Equal(t, 3, ee.ExitCode(), stderr.String())
	// SQLite says that the disk is full, or that a file of its own could not grow.
	require.Regexp(t, "full|can not be written", stderr.String())
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left)
}
