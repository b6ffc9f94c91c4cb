package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/retrydrill/drill/harness/receipt"
	"github.com/retrydrill/drill/harness/receipt/receipttest"
	"github.com/stretchr/testify/require"
)

// BenchmarkLife is a receipt's whole life (claimed and approved, sent, confirmed:
// three commits) beside the four bare commits of its four states through
// database/sql, in turns. It reports the ratio of the medians.
func BenchmarkLife(b *testing.B) {
	s := open(b, filepath.Join(b.TempDir(), "receipts.db"))
	defer s.Close()
	db, err := connect(filepath.Join(b.TempDir(), "bare.db"))
	require.NoError(b, err)
	defer db.Close()
	_, err = db.Exec("CREATE TABLE receipts (action_id TEXT PRIMARY KEY, state TEXT NOT NULL, arguments TEXT NOT NULL)")
	require.NoError(b, err)
	ours, bare := inTurns(b, func(n int) error { return life(b.Context(), s, n) }, func(n int) error { return bareLife(b.Context(), db, n) })
	b.ReportMetric(float64(ours)/float64(bare), "ours/bare")
}

// BenchmarkTrial is a store made, used for one life and closed, beside the same
// with one bare table.
func BenchmarkTrial(b *testing.B) {
	dir := b.TempDir()
	ours, bare := inTurns(b, func(n int) error {
		s, err := Open(b.Context(), filepath.Join(dir, fmt.Sprint("ours", n)))
		if err != nil {
			return err
		}
		defer s.Close()
		return life(b.Context(), s, n)
	}, func(n int) error {
		db, err := connect(filepath.Join(dir, fmt.Sprint("bare", n)))
		if err != nil {
			return err
		}
		defer db.Close()
		if _, err := db.Exec("CREATE TABLE receipts (action_id TEXT PRIMARY KEY, state TEXT NOT NULL, arguments TEXT NOT NULL)"); err != nil {
			return err
		}
		return bareLife(b.Context(), db, n)
	})
	b.ReportMetric(float64(ours)/float64(bare), "ours/bare")
}

// inTurns runs both sides b.N times, one after the other, and returns the medians.
func inTurns(b *testing.B, ours, bare func(n int) error) (time.Duration, time.Duration) {
	var took [2][]time.Duration
	for n := 0; b.Loop(); n++ {
		for i, f := range []func(int) error{ours, bare} {
			start := time.Now()
			if err := f(n); err != nil {
				b.Fatal(err)
			}
			took[i] = append(took[i], time.Since(start))
		}
	}
	median := func(d []time.Duration) time.Duration {
		slices.Sort(d)
		return d[len(d)/2]
	}
	o, p := median(took[0]), median(took[1])
	b.ReportMetric(float64(o.Microseconds()), "ours-µs")
	b.ReportMetric(float64(p.Microseconds()), "bare-µs")
	return o, p
}

func life(ctx context.Context, s *Store, n int) error {
	r, _, err := s.Claim(ctx, receipttest.NewClaim(fmt.Sprint(n), n))
	if err != nil {
		return err
	}
	sent := r.To(receipt.Sent, receipttest.Start)
	if err := s.Write(ctx, receipt.Approved, sent); err != nil {
		return err
	}
	return s.Write(ctx, receipt.Sent, sent.To(receipt.Confirmed, receipttest.Start))
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
