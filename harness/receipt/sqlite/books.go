package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/retrydrill/drill/harness/receipt"
)

var _ receipt.Books = (*Store)(nil)

// What an operator asks, and the way into the archive and back. A row keeps its
// number, so that the order of making stays.
const (
	pageOfReceipts = `SELECT seq, receipt FROM receipts WHERE seq > ? ORDER BY seq LIMIT ?`
	pageOfArchive  = `SELECT seq, receipt FROM archive WHERE seq > ? ORDER BY seq LIMIT ?`

	copyToArchive = `INSERT INTO archive SELECT seq, action_id, trigger_key, state, fence, receipt, ? FROM receipts
		WHERE action_id = ? AND fence = ? AND state = ?`
	dropReceipt = `DELETE FROM receipts WHERE action_id = ?`
	copyBack    = `INSERT INTO receipts SELECT seq, action_id, trigger_key, state, fence, receipt FROM archive WHERE action_id = ?`
	dropArchive = `DELETE FROM archive WHERE action_id = ?`
)

// page is how many rows are read at once.
const page = 500

// Each is as [receipt.Books] says.
func (s *Store) Each(ctx context.Context, q receipt.Query, f func(receipt.Receipt) error) error {
	for after := int64(-1); ; {
		rows, last, err := s.page(ctx, q.Archived, after)
		if err != nil {
			return s.fail("list", err)
		}
		for _, r := range rows {
			if !q.Selects(r) {
				continue
			}
			if err := f(r); err != nil {
				return err
			}
		}
		if len(rows) < page {
			return nil
		}
		after = last
	}
}

func (s *Store) page(ctx context.Context, archived bool, after int64) (out []receipt.Receipt, last int64, err error) {
	if err := s.here(); err != nil {
		return nil, 0, err
	}
	query := pageOfReceipts
	if archived {
		query = pageOfArchive
	}
	rows, err := s.db.QueryContext(ctx, query, after, page)
	if err != nil {
		return nil, 0, err
	}
	defer rows.Close()
	for rows.Next() {
		var b []byte
		if err := rows.Scan(&last, &b); err != nil {
			return nil, 0, err
		}
		r, err := receipt.Decode(b)
		if err != nil {
			return nil, 0, err
		}
		out = append(out, r)
	}
	return out, last, rows.Err()
}

// Archive is as [receipt.Books] says: one transaction.
func (s *Store) Archive(ctx context.Context, r receipt.Receipt, at time.Time) error {
	return s.fail("archive", s.archive(ctx, r, at))
}

func (s *Store) archive(ctx context.Context, r receipt.Receipt, at time.Time) error {
	if err := receipt.CheckArchive(r); err != nil {
		return err
	}
	if err := s.here(); err != nil {
		return err
	}
	moved, err := s.move(ctx, r, at)
	if err != nil || moved {
		return err
	}
	now, err := s.live(ctx, r.ActionID)
	if err != nil {
		return err
	}
	return receipt.Changed(now, r)
}

func (s *Store) move(ctx context.Context, r receipt.Receipt, at time.Time) (moved bool, err error) {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return false, err
	}
	defer tx.Rollback()
	res, err := tx.ExecContext(ctx, copyToArchive, at.UTC().Format(time.RFC3339Nano), r.ActionID, r.Fence, string(r.State))
	if err != nil {
		return false, err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return false, err
	}
	if _, err := tx.ExecContext(ctx, dropReceipt, r.ActionID); err != nil {
		return false, err
	}
	return true, tx.Commit()
}

// restore moves a row back whose claim leads on.
func restore(ctx context.Context, tx *sql.Tx, actionID string) error {
	for _, statement := range []string{copyBack, dropArchive} {
		if _, err := tx.ExecContext(ctx, statement, actionID); err != nil {
			return fmt.Errorf("move back from the archive: %w", err)
		}
	}
	return nil
}
