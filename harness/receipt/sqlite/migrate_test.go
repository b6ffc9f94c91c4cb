package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/retrydrill/drill/harness/receipt"
	"github.com/retrydrill/drill/harness/receipt/receipttest"
	"github.com/stretchr/testify/require"
)

// older returns a copy of a file that version 1 wrote.
func older(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile("testdata/version1.db")
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "receipts.db")
	require.NoError(t, os.WriteFile(path, b, 0o600))
	return path
}

// bare opens the file without the store.
func bare(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := connect(path, "rw")
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func TestMigrates(t *testing.T) {
	path := older(t)
	s := opened(t, path)
	defer s.Close()
	receipttest.OfVersion1(t, s)
	v, err := version(t.Context(), s.db)
	require.NoError(t, err)
	require.Equal(t, Version, v)
	require.Len(t, migrations, Version)
}

// TestMigratesOnce: of many that find an older file one migrates it.
func TestMigratesOnce(t *testing.T) {
	path := older(t)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			s, err := Open(context.Background(), path)
			if err != nil {
				t.Error(err)
				return
			}
			_ = s.Close()
		})
	}
	all.Wait()
	s := opened(t, path)
	defer s.Close()
	receipttest.OfVersion1(t, s)
}

// TestMigratesWhole: a migration that fails leaves the older version as it was.
func TestMigratesWhole(t *testing.T) {
	path := older(t)
	db := bare(t, path)
	_, err := db.Exec("CREATE INDEX archive_trigger ON receipts (state)")
	require.NoError(t, err)
	_, err = Open(t.Context(), path)
	require.ErrorContains(t, err, "from schema version 1 to 2")
	v, err := version(t.Context(), db)
	require.NoError(t, err)
	require.Equal(t, 1, v)
	var tables int
	require.NoError(t, db.QueryRow("SELECT count(*) FROM sqlite_master WHERE name = 'archive'").Scan(&tables))
	require.Zero(t, tables, "nothing of it is left")
	_, err = db.Exec("DROP INDEX archive_trigger")
	require.NoError(t, err)
	s := opened(t, path)
	defer s.Close()
	receipttest.OfVersion1(t, s)
}

func TestNewerIsOneSentence(t *testing.T) {
	path := older(t)
	for v, want := range map[int]error{Version + 1: receipt.ErrNewer, -1: receipt.ErrDamaged} {
		_, err := bare(t, path).Exec(fmt.Sprint("PRAGMA user_version = ", v))
		require.NoError(t, err)
		_, err = Open(t.Context(), path)
		require.ErrorIs(t, err, want)
		require.NotContains(t, err.Error(), "\n")
		require.Equal(t, 1, strings.Count(err.Error(), "schema version"))
	}
}

// TestReadersMakeNothing: who only reads makes no file.
func TestReadersMakeNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "receipts.db")
	_, err := OpenExisting(t.Context(), path)
	require.ErrorIs(t, err, receipt.ErrNoStore)
	require.NoFileExists(t, path)
	require.NoError(t, opened(t, path).Close())
	s, err := OpenExisting(t.Context(), path)
	require.NoError(t, err)
	require.NoError(t, s.Close())
}

// TestGone: once the file is deleted or replaced nothing is written where nobody
// would find it, and nothing is read from there.
func TestGone(t *testing.T) {
	for name, harm := range map[string]func(path string) error{
		"deleted": os.Remove,
		"moved":   func(path string) error { return os.Rename(path, path+".old") },
		"replaced": func(path string) error {
			return os.Rename(opened(t, path+".new").close(t, path+".new"), path)
		},
		"folder deleted": func(path string) error { return os.RemoveAll(filepath.Dir(path)) },
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "in", "receipts.db")
			require.NoError(t, os.Mkdir(filepath.Dir(path), 0o700))
			s := opened(t, path)
			defer s.db.Close()
			r := receipttest.At(t, s, receipttest.NewClaim("a", 1), receipt.Sent)
			require.NoError(t, harm(path))

			_, _, err := s.Claim(t.Context(), receipttest.NewClaim("b", 1))
			require.ErrorIs(t, err, receipt.ErrGone)
			require.ErrorIs(t, s.Write(t.Context(), receipt.Sent, r.To(receipt.Confirmed, receipttest.Start)), receipt.ErrGone)
			_, err = s.Get(t.Context(), "a")
			require.ErrorIs(t, err, receipt.ErrGone)
			require.NotErrorIs(t, err, receipt.ErrMissing, "missing evidence is no answer")
			_, err = s.ByTrigger(t.Context(), "trigger-a")
			require.ErrorIs(t, err, receipt.ErrGone)
			require.ErrorIs(t, s.Each(t.Context(), receipt.Query{}, nil), receipt.ErrGone)
			require.ErrorIs(t, s.Archive(t.Context(), r.To(receipt.Confirmed, receipttest.Start), time.Now()), receipt.ErrGone)
		})
	}
}

func (s *Store) close(t *testing.T, path string) string {
	require.NoError(t, s.Close())
	return path
}

// TestTruncated: a file that was cut off anywhere is refused, or holds what it held;
// it never holds less without a word.
func TestTruncated(t *testing.T) {
	whole, err := os.ReadFile("testdata/version1.db")
	require.NoError(t, err)
	for size := 1; size < len(whole); size += 512 {
		path := filepath.Join(t.TempDir(), "receipts.db")
		require.NoError(t, os.WriteFile(path, whole[:size], 0o600))
		s, err := Open(t.Context(), path)
		if err != nil {
			require.ErrorIs(t, err, receipt.ErrDamaged, size)
			continue
		}
		damaged := 0
		for _, state := range []receipt.State{receipt.Confirmed, receipt.Unknown, receipt.Approved} {
			r, err := s.Get(t.Context(), string(state))
			if err != nil {
				require.ErrorIs(t, err, receipt.ErrDamaged, size)
				damaged++
				continue
			}
			require.Equal(t, state, r.State)
		}
		require.True(t, damaged > 0 || size > len(whole)-4096, "%d bytes of %d held all", size, len(whole))
		require.NoError(t, s.db.Close())
	}
}
