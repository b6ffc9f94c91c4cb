// Package sqlite keeps receipts in one SQLite file that several processes share:
// write-ahead log, synchronous FULL, so that what a write returned from survives a
// SIGKILL and a power cut (https://www.sqlite.org/pragma.html#pragma_synchronous).
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/retrydrill/drill/harness/receipt"
)

// Version is the schema's version, kept in the file's user_version.
const Version = 1

// schema is written in the transaction that finds an empty file. A receipt stands
// whole in its JSON column; the columns before it are what statements compare.
const schema = `
CREATE TABLE receipts (
  seq INTEGER PRIMARY KEY,
  action_id TEXT NOT NULL UNIQUE, trigger_key TEXT NOT NULL,
  state TEXT NOT NULL, fence INTEGER NOT NULL,
  receipt TEXT NOT NULL
);
CREATE INDEX receipts_trigger ON receipts (trigger_key);
CREATE TABLE approvals (approval_id TEXT PRIMARY KEY, action_id TEXT NOT NULL) WITHOUT ROWID;
`

// Store is a [receipt.Store] in one file.
type Store struct {
	db *sql.DB
	statements
	// name is the file's name without its folder, which errors may show.
	name string
}

var _ receipt.Store = (*Store)(nil)

// Open opens or makes the database. The folder has to exist. Errors are one of
// receipt's sentinels where the file can not be used.
func Open(ctx context.Context, path string) (*Store, error) {
	db, err := connect(path)
	if err != nil {
		return nil, err
	}
	s := &Store{db: db, name: filepath.Base(path)}
	err = untilFree(ctx, func() error { return s.migrate(ctx) })
	if err == nil {
		err = s.prepare(ctx, db)
	}
	if err != nil {
		return nil, errors.Join(s.fail("open", err), db.Close())
	}
	return s, nil
}

// migrate brings the schema to Version. Of several processes that find an empty
// file, one writes the schema and the others see it.
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
	switch v, err = version(ctx, tx); {
	case err != nil || v == Version:
		return err
	case v > Version:
		return fmt.Errorf("%w: schema version %d, this one reads up to %d", receipt.ErrNewer, v, Version)
	}
	if _, err := tx.ExecContext(ctx, schema+fmt.Sprintf("PRAGMA user_version = %d", Version)); err != nil {
		return err
	}
	return tx.Commit()
}

type querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

func version(ctx context.Context, q querier) (v int, err error) {
	err = q.QueryRowContext(ctx, "PRAGMA user_version").Scan(&v)
	return v, err
}

// Close closes the connection and with it the statements; the last one to close folds the log into the file.
func (s *Store) Close() error { return s.fail("close", s.db.Close()) }

// fail says in which step and file an error happened.
func (s *Store) fail(step string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("receipts %s: %s: %w", s.name, step, named(err))
}
