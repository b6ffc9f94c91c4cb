package sqlite

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/retrydrill/drill/harness/receipt"
	"github.com/retrydrill/drill/harness/receipt/receipttest"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	receipttest.JoinCrowd(func(ctx context.Context, path string) (receipt.Store, error) { return Open(ctx, path) })
	goleak.VerifyTestMain(m)
}

func opened(t testing.TB, path string) *Store {
	t.Helper()
	s, err := Open(t.Context(), path)
	require.NoError(t, err)
	return s
}

func TestConformance(t *testing.T) {
	receipttest.Run(t, func(t *testing.T) receipt.Books {
		return opened(t, filepath.Join(t.TempDir(), "a file?with#odd %20 name.db"))
	})
}

func TestParity(t *testing.T) {
	s := opened(t, filepath.Join(t.TempDir(), "receipts.db"))
	defer s.Close()
	receipttest.Parity(t, s)
}

func TestCrowd(t *testing.T) {
	receipttest.Crowd(t,
		func(t *testing.T) string { return filepath.Join(t.TempDir(), "receipts.db") },
		func(t *testing.T, path string) receipt.Store { return opened(t, path) })
}

func TestReceiptsSurviveClose(t *testing.T) {
	path := filepath.Join(t.TempDir(), "receipts.db")
	s := opened(t, path)
	want := receipttest.At(t, s, receipttest.NewClaim("a", 1), receipt.Confirmed)
	require.NoError(t, s.Close())
	s = opened(t, path)
	defer s.Close()
	got, err := s.Get(t.Context(), "a")
	require.NoError(t, err)
	require.Equal(t, want, got)
}

func TestBadFiles(t *testing.T) {
	dir := t.TempDir()
	refused := func(name string, want error) {
		t.Helper()
		_, err := Open(t.Context(), filepath.Join(dir, name))
		require.ErrorIs(t, err, want)
		require.ErrorContains(t, err, "receipts "+filepath.Base(name)+": open: ")
		require.NotContains(t, err.Error(), dir, "no path of this machine")
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "text.db"), []byte("no database, and long enough to have a header of 100 bytes. no database, and long enough to have a header"), 0o600))
	refused("text.db", receipt.ErrDamaged)
	refused("no/such/folder.db", receipt.ErrUnwritable)

	newer := opened(t, filepath.Join(dir, "newer.db"))
	_, err := newer.db.Exec(fmt.Sprintf("PRAGMA user_version = %d", Version+1))
	require.NoError(t, err)
	require.NoError(t, newer.Close())
	refused("newer.db", receipt.ErrNewer)
}

func TestDamagedInTheMiddle(t *testing.T) {
	path := filepath.Join(t.TempDir(), "receipts.db")
	s := opened(t, path)
	receipttest.At(t, s, receipttest.NewClaim("a", 1), receipt.Sent)
	require.NoError(t, s.Close())
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	for i := 4096; i < len(b); i++ {
		b[i] = 0xa5
	}
	require.NoError(t, os.WriteFile(path, b, 0o600))
	s = opened(t, path)
	defer s.Close()
	_, _, err = s.Claim(t.Context(), receipttest.NewClaim("a", 1))
	require.ErrorIs(t, err, receipt.ErrDamaged)
}

func TestFullDisk(t *testing.T) {
	s := opened(t, filepath.Join(t.TempDir(), "receipts.db"))
	defer s.Close()
	_, err := s.db.Exec("PRAGMA max_page_count = 6")
	require.NoError(t, err)
	for i := 0; err == nil && i < 1000; i++ {
		_, _, err = s.Claim(t.Context(), receipttest.NewClaim(fmt.Sprint(i), 1))
	}
	require.ErrorIs(t, err, receipt.ErrFull)
	_, err = s.Get(t.Context(), "0")
	require.NoError(t, err, "what was written is still readable")
}

func TestReadOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "receipts.db")
	require.NoError(t, opened(t, path).Close())
	s := opened(t, path)
	defer s.Close()
	_, err := s.db.Exec("PRAGMA query_only = 1")
	require.NoError(t, err)
	_, _, err = s.Claim(t.Context(), receipttest.NewClaim("a", 1))
	require.ErrorIs(t, err, receipt.ErrUnwritable)
}
