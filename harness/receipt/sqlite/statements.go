package sqlite

import (
	"context"
	"database/sql"
)

// statements are those of an action's life, compiled once a store.
type statements struct {
	claim, put, use, write *sql.Stmt
}

func (s *statements) prepare(ctx context.Context, db *sql.DB) error {
	for _, p := range []struct {
		to  **sql.Stmt
		sql string
	}{
		// One row at least, so that the approval is told even where no receipt is.
		{&s.claim, `SELECT (SELECT action_id FROM approvals WHERE approval_id = ?3), r.receipt
			FROM (SELECT 1) LEFT JOIN receipts r ON r.action_id = ?1 OR r.trigger_key = ?2 ORDER BY r.action_id = ?1 DESC, r.seq`},
		{&s.put, `INSERT INTO receipts (action_id, trigger_key, state, fence, receipt) VALUES (?, ?, ?, ?, ?)
			ON CONFLICT (action_id) DO UPDATE SET state = excluded.state, fence = excluded.fence, receipt = excluded.receipt`},
		{&s.use, `INSERT INTO approvals VALUES (?, ?) ON CONFLICT DO NOTHING`},
		{&s.write, `UPDATE receipts SET state = ?, receipt = ? WHERE action_id = ? AND fence = ? AND state = ?`},
	} {
		stmt, err := db.PrepareContext(ctx, p.sql)
		if err != nil {
			return err
		}
		*p.to = stmt
	}
	return nil
}

// What is asked outside an action's life.
const (
	selectOne       = `SELECT receipt FROM receipts WHERE action_id = ?`
	selectByTrigger = `SELECT receipt FROM receipts WHERE trigger_key = ? ORDER BY seq`
	selectUnsettled = `SELECT receipt FROM receipts WHERE state NOT IN ('confirmed', 'rejected', 'needs_review') ORDER BY seq`
	selectUsedBy    = `SELECT action_id FROM approvals WHERE approval_id = ?`
)
