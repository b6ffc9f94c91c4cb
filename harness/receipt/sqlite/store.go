package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/retrydrill/drill/harness/receipt"
)

// Claim is as [receipt.Store] says: one transaction, one commit.
func (s *Store) Claim(ctx context.Context, c receipt.Claim) (receipt.Receipt, bool, error) {
	d, err := s.claim(ctx, c)
	if err != nil {
		return receipt.Receipt{}, false, s.fail("claim", err)
	}
	return d.Receipt, d.Fresh, nil
}

func (s *Store) claim(ctx context.Context, c receipt.Claim) (d receipt.Decision, err error) {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return d, err
	}
	defer tx.Rollback()
	found, err := find(ctx, tx, c)
	if err != nil {
		return d, err
	}
	var by string
	if c.Approval.SingleUse {
		if by, err = usedBy(ctx, tx, c.Approval.ID); err != nil {
			return d, err
		}
	}
	if d, err = receipt.Decide(c, found, by); err != nil || !d.Write {
		return d, err
	}
	if err := put(ctx, tx, d); err != nil {
		return d, err
	}
	if d.Uses != "" && by == "" {
		if _, err := tx.ExecContext(ctx, "INSERT INTO approvals VALUES (?, ?)", d.Uses, d.Receipt.ActionID); err != nil {
			return d, err
		}
	}
	return d, tx.Commit()
}

func find(ctx context.Context, q rows, c receipt.Claim) (*receipt.Receipt, error) {
	own, err := read(ctx, q, "WHERE action_id = ?", c.ActionID)
	if err != nil {
		return nil, err
	}
	if len(own) == 1 {
		return &own[0], nil
	}
	others, err := read(ctx, q, "WHERE trigger_key = ? ORDER BY seq", c.TriggerKey)
	for _, r := range others {
		if c.Alike(r) {
			return &r, nil
		}
	}
	return nil, err
}

func put(ctx context.Context, tx *sql.Tx, d receipt.Decision) error {
	v, err := values(d.Receipt)
	if err != nil {
		return err
	}
	if d.Fresh {
		_, err = tx.ExecContext(ctx, insert, v...)
		return err
	}
	_, err = tx.ExecContext(ctx, update+" WHERE action_id = ?", append(v, d.Receipt.ActionID)...)
	return err
}

// Write is as [receipt.Store] says: one statement, one commit.
func (s *Store) Write(ctx context.Context, from receipt.State, r receipt.Receipt) error {
	return s.fail("write", s.write(ctx, from, r))
}

func (s *Store) write(ctx context.Context, from receipt.State, r receipt.Receipt) error {
	if err := receipt.CheckMove(from, r); err != nil {
		return err
	}
	v, err := values(r)
	if err != nil {
		return err
	}
	res, err := s.db.ExecContext(ctx, update+" WHERE action_id = ? AND fence = ? AND state = ?",
		append(v, r.ActionID, r.Fence, string(from))...)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 1 {
		return err
	}
	now, err := s.get(ctx, r.ActionID)
	if err != nil {
		return err
	}
	if err := receipt.Refuse(now, from, r); err != nil {
		return err
	}
	return fmt.Errorf("%w: %s changed while it was written", receipt.ErrStale, r.ActionID)
}

// Get is as [receipt.Store] says.
func (s *Store) Get(ctx context.Context, actionID string) (receipt.Receipt, error) {
	r, err := s.get(ctx, actionID)
	return r, s.fail("get", err)
}

func (s *Store) get(ctx context.Context, actionID string) (receipt.Receipt, error) {
	own, err := read(ctx, s.db, "WHERE action_id = ?", actionID)
	if err != nil {
		return receipt.Receipt{}, err
	}
	if len(own) == 0 {
		return receipt.Receipt{}, fmt.Errorf("%w: %s", receipt.ErrMissing, actionID)
	}
	return own[0], nil
}

// ByTrigger is as [receipt.Store] says.
func (s *Store) ByTrigger(ctx context.Context, triggerKey string) ([]receipt.Receipt, error) {
	out, err := read(ctx, s.db, "WHERE trigger_key = ? ORDER BY seq", triggerKey)
	return out, s.fail("look up by trigger", err)
}

// UsedBy is as [receipt.Store] says.
func (s *Store) UsedBy(ctx context.Context, approvalID string) (string, error) {
	by, err := usedBy(ctx, s.db, approvalID)
	return by, s.fail("look up an approval", err)
}

func usedBy(ctx context.Context, q querier, id string) (by string, err error) {
	err = q.QueryRowContext(ctx, "SELECT action_id FROM approvals WHERE approval_id = ?", id).Scan(&by)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return by, err
}
