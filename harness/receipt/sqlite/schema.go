package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/retrydrill/drill/harness/receipt"
)

// Version is the schema's version, kept in the file's user_version.
const Version = 2

// migrations lead from each version to the next, an empty file being version 0. What
// was released is never edited. A receipt stands whole in its JSON column; the
// columns before it are what statements compare.
var migrations = [Version]string{`
CREATE TABLE receipts (
  seq INTEGER PRIMARY KEY,
  action_id TEXT NOT NULL UNIQUE, trigger_key TEXT NOT NULL,
  state TEXT NOT NULL, fence INTEGER NOT NULL,
  receipt TEXT NOT NULL
);
CREATE INDEX receipts_trigger ON receipts (trigger_key);
CREATE TABLE approvals (approval_id TEXT PRIMARY KEY, action_id TEXT NOT NULL) WITHOUT ROWID;
`, `
CREATE TABLE archive (
  seq INTEGER PRIMARY KEY,
  action_id TEXT NOT NULL UNIQUE, trigger_key TEXT NOT NULL,
  state TEXT NOT NULL, fence INTEGER NOT NULL,
  receipt TEXT NOT NULL, archived_at TEXT NOT NULL
);
CREATE INDEX archive_trigger ON archive (trigger_key);
`}

// migrate brings the schema to Version in one transaction. Of several processes that
// find an older file, one migrates it and the others wait and see it.
func (s *Store) migrate(ctx context.Context) error {
	v, err := version(ctx, s.db)
	if err != nil || v == Version {
		return err
	}
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if v, err = version(ctx, tx); err != nil || v == Version {
		return err
	}
	for _, m := range migrations[v:] {
		if _, err := tx.ExecContext(ctx, m); err != nil {
			return fmt.Errorf("from schema version %d to %d: %w", v, Version, err)
		}
	}
	if _, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", Version)); err != nil {
		return err
	}
	return tx.Commit()
}

type querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// version refuses a schema that it can not read.
func version(ctx context.Context, q querier) (v int, err error) {
	if err := q.QueryRowContext(ctx, "PRAGMA user_version").Scan(&v); err != nil {
		return 0, err
	}
	switch {
	case v > Version:
		return 0, fmt.Errorf("%w: schema version %d, this one reads up to %d", receipt.ErrNewer, v, Version)
	case v < 0:
		return 0, fmt.Errorf("%w: schema version %d", receipt.ErrDamaged, v)
	}
	return v, nil
}
