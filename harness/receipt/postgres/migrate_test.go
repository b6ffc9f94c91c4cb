package postgres

import (
	"context"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/retrydrill/drill/harness/receipt"
	"github.com/retrydrill/drill/harness/receipt/receipttest"
	"github.com/stretchr/testify/require"
)

// older returns the connection string of what version 1 wrote.
func older(t *testing.T) string {
	t.Helper()
	dsn := empty(t)
	sql, err := os.ReadFile("testdata/version1.sql")
	require.NoError(t, err)
	execute(t, dsn, string(sql))
	return dsn
}

func TestMigrates(t *testing.T) {
	s := opened(t, older(t))
	defer s.Close()
	receipttest.OfVersion1(t, s)
	v, err := version(t.Context(), s.pool)
	require.NoError(t, err)
	require.Equal(t, Version, v)
	require.Len(t, migrations, Version)
}

// TestMigratesOnce: of many that find older tables one migrates them.
func TestMigratesOnce(t *testing.T) {
	dsn := older(t)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			s, err := Open(context.Background(), dsn)
			if err != nil {
				t.Error(err)
				return
			}
			_ = s.Close()
		})
	}
	all.Wait()
	s := opened(t, dsn)
	defer s.Close()
	receipttest.OfVersion1(t, s)
}

// TestMigratesWhole: a migration that fails leaves the older version as it was.
func TestMigratesWhole(t *testing.T) {
	dsn := older(t)
	execute(t, dsn, "CREATE TABLE drill_archive_trigger (x int)")
	_, err := Open(t.Context(), dsn)
	require.ErrorContains(t, err, "from schema version 1 to 2")
	execute(t, dsn, `DO $$ BEGIN ASSERT (SELECT version = 1 FROM drill_schema); ASSERT to_regclass('drill_archive') IS NULL; END $$`)
	execute(t, dsn, "DROP TABLE drill_archive_trigger")
	s := opened(t, dsn)
	defer s.Close()
	receipttest.OfVersion1(t, s)
}

func TestNewerIsOneSentence(t *testing.T) {
	dsn := older(t)
	execute(t, dsn, "UPDATE drill_schema SET version = 99")
	_, err := Open(t.Context(), dsn)
	require.ErrorIs(t, err, receipt.ErrNewer)
	require.NotContains(t, err.Error(), "\n")
	require.Equal(t, 1, strings.Count(err.Error(), "schema version"))
}

// TestReadersMakeNothing: who only reads makes no tables.
func TestReadersMakeNothing(t *testing.T) {
	dsn := empty(t)
	_, err := OpenExisting(t.Context(), dsn)
	require.ErrorIs(t, err, receipt.ErrNoStore)
	execute(t, dsn, `DO $$ BEGIN ASSERT to_regclass('drill_schema') IS NULL; END $$`)
	require.NoError(t, opened(t, dsn).Close())
	s, err := OpenExisting(t.Context(), dsn)
	require.NoError(t, err)
	require.NoError(t, s.Close())
}
