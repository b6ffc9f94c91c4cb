package sqlite

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/retrydrill/drill/harness/receipt"
	"github.com/retrydrill/drill/harness/receipt/receipttest"
	"github.com/stretchr/testify/require"
)

// TestFullFileSystem: on a file system without room nothing that was acknowledged is
// lost, and with room again the same store goes on.
func TestFullFileSystem(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=512k"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("mount: %v: this test needs a small file system of its own", err)
		}
		t.Skipf("mount: %v: this test needs root", err)
	}
	t.Cleanup(func() { require.NoError(t, syscall.Unmount(dir, 0)) })
	room := filepath.Join(dir, "room")
	require.NoError(t, os.WriteFile(room, make([]byte, 128<<10), 0o600))
	s := opened(t, filepath.Join(dir, "receipts.db"))
	defer s.Close()
	written := 0
	for ; written < 10_000; written++ {
		if err := receipttest.Life(t.Context(), s, written); err != nil {
			require.ErrorIs(t, err, receipt.ErrFull)
			break
		}
	}
	require.Less(t, written, 10_000, "it was never full")
	require.NoError(t, os.Remove(room))
	for n := range written {
		r, err := s.Get(t.Context(), fmt.Sprint(n))
		require.NoError(t, err)
		require.Equal(t, receipt.Confirmed, r.State)
	}
	require.NoError(t, receipttest.Life(t.Context(), s, written+1))
}
