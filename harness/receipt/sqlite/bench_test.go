package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/retrydrill/drill/harness/receipt"
	"github.com/retrydrill/drill/harness/receipt/receipttest"
	"github.com/stretchr/testify/require"
)

// BenchmarkLife is a receipt's whole life (claimed and approved, sent, confirmed:
// three commits) beside the four bare commits of its four states through
// database/sql, in turns. It reports the ratio of the medians.
func BenchmarkLife(b *testing.B) {
	s := opened(b, filepath.Join(b.TempDir(), "receipts.db"))
	defer s.Close()
	db, err := connect(filepath.Join(b.TempDir(), "bare.db"), "rwc")
	require.NoError(b, err)
	defer db.Close()
	_, err = db.Exec("CREATE TABLE receipts (action_id TEXT PRIMARY KEY, state TEXT NOT NULL, arguments TEXT NOT NULL)")
	require.NoError(b, err)
	receipttest.InTurns(b, func(n int) error { return receipttest.Life(b.Context(), s, n) }, func(n int) error { return bareLife(b.Context(), db, n) })
}

// BenchmarkTrial is a store made, used for one life and closed, beside the same
// with one bare table.
func BenchmarkTrial(b *testing.B) {
	dir := b.TempDir()
	receipttest.InTurns(b, func(n int) error {
		s, err := Open(b.Context(), filepath.Join(dir, fmt.Sprint("ours", n)))
		if err != nil {
			return err
		}
		defer s.Close()
		return receipttest.Life(b.Context(), s, n)
	}, func(n int) error {
		db, err := connect(filepath.Join(dir, fmt.Sprint("bare", n)), "rwc")
		if err != nil {
			return err
		}
		defer db.Close()
		if _, err := db.Exec("CREATE TABLE receipts (action_id TEXT PRIMARY KEY, state TEXT NOT NULL, arguments TEXT NOT NULL)"); err != nil {
			return err
		}
		return bareLife(b.Context(), db, n)
	})
}

func bareLife(ctx context.Context, db *sql.DB, n int) error {
	c := receipttest.NewClaim(fmt.Sprint(n), n)
	if _, err := db.ExecContext(ctx, "INSERT INTO receipts VALUES (?, 'prepared', ?)", c.ActionID, `{"amount":1099,"charge":"ch_1"}`); err != nil {
		return err
	}
	for _, s := range []receipt.State{receipt.Approved, receipt.Sent, receipt.Confirmed} {
		if _, err := db.ExecContext(ctx, "UPDATE receipts SET state = ? WHERE action_id = ?", string(s), c.ActionID); err != nil {
			return err
		}
	}
	return nil
}
