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
	d, err := s.decide(ctx, c)
	if err != nil {
		return receipt.Receipt{}, false, s.fail("claim", err)
	}
	return d.Receipt, d.Fresh, nil
}

func (s *Store) decide(ctx context.Context, c receipt.Claim) (d receipt.Decision, err error) {
	if err := s.here(); err != nil {
		return d, err
	}
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return d, err
	}
	defer tx.Rollback()
	found, archived, usedBy, err := s.find(ctx, tx, c)
	if err != nil {
		return d, err
	}
	if d, err = receipt.Decide(c, found, usedBy); err != nil || !d.Write {
		return d, err
	}
	r := d.Receipt
	if archived {
		if err := restore(ctx, tx, r.ActionID); err != nil {
			return d, err
		}
	}
	b, err := receipt.Encode(r)
	if err != nil {
		return d, err
	}
	if _, err := tx.StmtContext(ctx, s.put).ExecContext(ctx, r.ActionID, r.TriggerKey, string(r.State), r.Fence, string(b)); err != nil {
		return d, err
	}
	if d.Uses != "" && usedBy == "" {
		if _, err := tx.StmtContext(ctx, s.use).ExecContext(ctx, d.Uses, r.ActionID); err != nil {
			return d, err
		}
	}
	return d, tx.Commit()
}

// find returns the claim's own receipt, or one that is alike, whether it stands in
// the archive, and who used the claim's approval.
func (s *Store) find(ctx context.Context, tx *sql.Tx, c receipt.Claim) (found *receipt.Receipt, archived bool, usedBy string, err error) {
	rows, err := tx.StmtContext(ctx, s.claim).QueryContext(ctx, c.ActionID, c.TriggerKey, c.Approval.ID)
	if err != nil {
		return nil, false, "", err
	}
	defer rows.Close()
	for found == nil && rows.Next() {
		var by sql.NullString
		var in sql.NullBool
		var b []byte
		if err := rows.Scan(&by, &b, &in); err != nil {
			return nil, false, "", err
		}
		usedBy = by.String
		if b == nil {
			break
		}
		r, err := receipt.Decode(b)
		if err != nil {
			return nil, false, "", err
		}
		if r.ActionID == c.ActionID || c.Alike(r) {
			found, archived = &r, in.Bool
		}
	}
	return found, archived, usedBy, rows.Err()
}

// Write is as [receipt.Store] says: one statement, one commit.
func (s *Store) Write(ctx context.Context, from receipt.State, r receipt.Receipt) error {
	return s.fail("write", s.compareAndSet(ctx, from, r))
}

func (s *Store) compareAndSet(ctx context.Context, from receipt.State, r receipt.Receipt) error {
	if err := receipt.CheckMove(from, r); err != nil {
		return err
	}
	if err := s.here(); err != nil {
		return err
	}
	b, err := receipt.Encode(r)
	if err != nil {
		return err
	}
	res, err := s.write.ExecContext(ctx, string(r.State), string(b), r.ActionID, r.Fence, string(from))
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 1 {
		return err
	}
	now, err := s.live(ctx, r.ActionID)
	if err != nil {
		return err
	}
	return receipt.Unwritten(now, from, r)
}

// Get is as [receipt.Store] says.
func (s *Store) Get(ctx context.Context, actionID string) (receipt.Receipt, error) {
	r, err := s.one(ctx, actionID)
	return r, s.fail("get", err)
}

func (s *Store) one(ctx context.Context, actionID string) (receipt.Receipt, error) {
	if err := s.here(); err != nil {
		return receipt.Receipt{}, err
	}
	return s.row(ctx, selectOne, actionID)
}

// live returns what is not archived.
func (s *Store) live(ctx context.Context, actionID string) (receipt.Receipt, error) {
	return s.row(ctx, selectLive, actionID)
}

func (s *Store) row(ctx context.Context, query, actionID string) (receipt.Receipt, error) {
	var b []byte
	err := s.db.QueryRowContext(ctx, query, actionID).Scan(&b)
	if errors.Is(err, sql.ErrNoRows) {
		return receipt.Receipt{}, fmt.Errorf("%w: %s", receipt.ErrMissing, actionID)
	}
	if err != nil {
		return receipt.Receipt{}, err
	}
	return receipt.Decode(b)
}

// ByTrigger is as [receipt.Store] says.
func (s *Store) ByTrigger(ctx context.Context, triggerKey string) ([]receipt.Receipt, error) {
	out, err := s.all(ctx, selectByTrigger, triggerKey)
	return out, s.fail("look up by trigger", err)
}

// Unsettled is as [receipt.Store] says.
func (s *Store) Unsettled(ctx context.Context) ([]receipt.Receipt, error) {
	out, err := s.all(ctx, selectUnsettled)
	return out, s.fail("look up what is not settled", err)
}

func (s *Store) all(ctx context.Context, query string, args ...any) (out []receipt.Receipt, err error) {
	if err := s.here(); err != nil {
		return nil, err
	}
	rows, err := s.db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var b []byte
		if err := rows.Scan(&b); err != nil {
			return nil, err
		}
		r, err := receipt.Decode(b)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, rows.Err()
}

// UsedBy is as [receipt.Store] says.
func (s *Store) UsedBy(ctx context.Context, approvalID string) (by string, err error) {
	err = s.db.QueryRowContext(ctx, selectUsedBy, approvalID).Scan(&by)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return by, s.fail("look up an approval", err)
}
