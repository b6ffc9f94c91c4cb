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
		{&s.claim, `SELECT (SELECT action_id FROM approvals WHERE approval_id = ?3), f.receipt, f.archived FROM (SELECT 1) LEFT JOIN (
			SELECT seq, action_id, receipt, 0 AS archived FROM receipts WHERE action_id = ?1 OR trigger_key = ?2
			UNION ALL SELECT seq, action_id, receipt, 1 FROM archive WHERE action_id = ?1 OR trigger_key = ?2
			) f ORDER BY f.action_id = ?1 DESC, f.seq`},
		// A number that the archive has is not given again.
		{&s.put, `INSERT INTO receipts (seq, action_id, trigger_key, state, fence, receipt) VALUES (
			1 + max(coalesce((SELECT max(seq) FROM receipts), 0), coalesce((SELECT max(seq) FROM archive), 0)), ?, ?, ?, ?, ?)
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
	selectLive      = `SELECT receipt FROM receipts WHERE action_id = ?`
	selectOne       = `SELECT receipt FROM receipts WHERE action_id = ?1 UNION ALL SELECT receipt FROM archive WHERE action_id = ?1`
	selectByTrigger = `SELECT receipt FROM (SELECT seq, receipt FROM receipts WHERE trigger_key = ?1
		UNION ALL SELECT seq, receipt FROM archive WHERE trigger_key = ?1) ORDER BY seq`
	selectUnsettled = `SELECT receipt FROM receipts WHERE state NOT IN ('confirmed', 'rejected', 'needs_review') ORDER BY seq`
	selectUsedBy    = `SELECT action_id FROM approvals WHERE approval_id = ?`
)
