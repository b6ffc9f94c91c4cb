package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/retrydrill/drill/harness/receipt"
)

// What is asked outside a claim.
const (
	compareAndSet = `UPDATE drill_receipts SET state = $1, receipt = $2 WHERE action_id = $3 AND fence = $4 AND state = $5`
	live          = `SELECT receipt FROM drill_receipts WHERE action_id = $1`
	everywhere    = live + ` UNION ALL SELECT receipt FROM drill_archive WHERE action_id = $1`
	byTrigger     = `SELECT receipt FROM (SELECT seq, receipt FROM drill_receipts WHERE trigger_key = $1
		UNION ALL SELECT seq, receipt FROM drill_archive WHERE trigger_key = $1) AS everywhere ORDER BY seq`
	unsettled = `SELECT receipt FROM drill_receipts WHERE state NOT IN ('confirmed', 'rejected', 'needs_review') ORDER BY seq`
	usedBy    = `SELECT action_id FROM drill_approvals WHERE approval_id = $1`
)

// Write is as [receipt.Store] says: one statement, one commit.
func (s *Store) Write(ctx context.Context, from receipt.State, r receipt.Receipt) error {
	return s.fail("write", s.write(ctx, from, r))
}

func (s *Store) write(ctx context.Context, from receipt.State, r receipt.Receipt) error {
	if err := receipt.CheckMove(from, r); err != nil {
		return err
	}
	b, err := receipt.Encode(r)
	if err != nil {
		return err
	}
	done, err := s.pool.Exec(ctx, compareAndSet, string(r.State), string(b), r.ActionID, r.Fence, string(from))
	if err != nil || done.RowsAffected() == 1 {
		return err
	}
	now, err := s.one(ctx, live, r.ActionID)
	if err != nil {
		return err
	}
	return receipt.Unwritten(now, from, r)
}

// Get is as [receipt.Store] says.
func (s *Store) Get(ctx context.Context, actionID string) (receipt.Receipt, error) {
	r, err := s.one(ctx, everywhere, actionID)
	return r, s.fail("get", err)
}

func (s *Store) one(ctx context.Context, query, actionID string) (r receipt.Receipt, err error) {
	rows, _ := s.pool.Query(ctx, query, actionID)
	r, err = pgx.CollectOneRow(rows, decoded)
	if errors.Is(err, pgx.ErrNoRows) {
		err = fmt.Errorf("%w: %s", receipt.ErrMissing, actionID)
	}
	return r, err
}

// ByTrigger is as [receipt.Store] says.
func (s *Store) ByTrigger(ctx context.Context, triggerKey string) ([]receipt.Receipt, error) {
	rows, _ := s.pool.Query(ctx, byTrigger, triggerKey)
	out, err := pgx.CollectRows(rows, decoded)
	return out, s.fail("look up by trigger", err)
}

// Unsettled is as [receipt.Store] says.
func (s *Store) Unsettled(ctx context.Context) ([]receipt.Receipt, error) {
	rows, _ := s.pool.Query(ctx, unsettled)
	out, err := pgx.CollectRows(rows, decoded)
	return out, s.fail("look up what is not settled", err)
}

// UsedBy is as [receipt.Store] says.
func (s *Store) UsedBy(ctx context.Context, approvalID string) (by string, err error) {
	err = s.pool.QueryRow(ctx, usedBy, approvalID).Scan(&by)
	if errors.Is(err, pgx.ErrNoRows) {
		err = nil
	}
	return by, s.fail("look up an approval", err)
}

func decoded(from pgx.CollectableRow) (receipt.Receipt, error) {
	var b []byte
	if err := from.Scan(&b); err != nil {
		return receipt.Receipt{}, err
	}
	return receipt.Decode(b)
}
