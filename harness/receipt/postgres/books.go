package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/retrydrill/drill/harness/receipt"
)

var _ receipt.Books = (*Store)(nil)

// What an operator asks, and the way into the archive and back. A row keeps its
// number, so that the order of making stays.
const (
	pageOfReceipts = `SELECT seq, receipt FROM drill_receipts WHERE seq > $1 ORDER BY seq LIMIT $2`
	pageOfArchive  = `SELECT seq, receipt FROM drill_archive WHERE seq > $1 ORDER BY seq LIMIT $2`

	toArchive = `WITH gone AS (DELETE FROM drill_receipts WHERE action_id = $1 AND fence = $2 AND state = $3 RETURNING *)
		INSERT INTO drill_archive SELECT seq, action_id, trigger_key, digest, state, fence, receipt, $4 FROM gone`
	restore = `WITH back AS (DELETE FROM drill_archive WHERE action_id = $1 RETURNING *)
		INSERT INTO drill_receipts OVERRIDING SYSTEM VALUE SELECT seq, action_id, trigger_key, digest, state, fence, receipt FROM back`
)

// page is how many rows are read at once.
const page = 500

// Each is as [receipt.Books] says.
func (s *Store) Each(ctx context.Context, q receipt.Query, f func(receipt.Receipt) error) error {
	query := pageOfReceipts
	if q.Archived {
		query = pageOfArchive
	}
	for after := int64(0); ; {
		rows, _ := s.pool.Query(ctx, query, after, page)
		all, err := pgx.CollectRows(rows, numbered)
		if err != nil {
			return s.fail("list", err)
		}
		for _, n := range all {
			if !q.Selects(n.Receipt) {
				continue
			}
			if err := f(n.Receipt); err != nil {
				return err
			}
		}
		if len(all) < page {
			return nil
		}
		after = all[page-1].seq
	}
}

// row is a receipt with its place in the order of making.
type row struct {
	receipt.Receipt
	seq int64
}

func numbered(from pgx.CollectableRow) (n row, err error) {
	var b []byte
	if err := from.Scan(&n.seq, &b); err != nil {
		return n, err
	}
	n.Receipt, err = receipt.Decode(b)
	return n, err
}

// Archive is as [receipt.Books] says: one statement, one commit.
func (s *Store) Archive(ctx context.Context, r receipt.Receipt, at time.Time) error {
	return s.fail("archive", s.archive(ctx, r, at))
}

func (s *Store) archive(ctx context.Context, r receipt.Receipt, at time.Time) error {
	if err := receipt.CheckArchive(r); err != nil {
		return err
	}
	done, err := s.pool.Exec(ctx, toArchive, r.ActionID, r.Fence, string(r.State), at)
	if err != nil || done.RowsAffected() == 1 {
		return err
	}
	now, err := s.one(ctx, live, r.ActionID)
	if err != nil {
		return err
	}
	return receipt.Changed(now, r)
}
