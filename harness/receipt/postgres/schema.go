package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/retrydrill/drill/harness/receipt"
)

// Version is the schema's version, kept in drill_schema.
const Version = 2

// migrations lead from each version to the next, into the first schema of the search
// path; no tables are version 0. What was released is never edited. A receipt stands
// whole as JSON; the columns before it are what statements compare. Text, not jsonb:
// jsonb refuses \u0000 and reorders.
var migrations = [Version]string{`
CREATE TABLE drill_schema (one boolean PRIMARY KEY DEFAULT true CHECK (one), version integer NOT NULL);
CREATE TABLE drill_receipts (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  action_id text COLLATE "C" NOT NULL UNIQUE, trigger_key text COLLATE "C" NOT NULL, digest text COLLATE "C" NOT NULL,
  state text NOT NULL, fence bigint NOT NULL,
  receipt text NOT NULL
);
CREATE INDEX drill_receipts_trigger ON drill_receipts (trigger_key, digest);
CREATE TABLE drill_approvals (approval_id text COLLATE "C" PRIMARY KEY, action_id text COLLATE "C" NOT NULL);
INSERT INTO drill_schema (version) VALUES (1);
`, `
CREATE TABLE drill_archive (
  seq bigint PRIMARY KEY,
  action_id text COLLATE "C" NOT NULL UNIQUE, trigger_key text COLLATE "C" NOT NULL, digest text COLLATE "C" NOT NULL,
  state text NOT NULL, fence bigint NOT NULL,
  receipt text NOT NULL, archived_at timestamptz NOT NULL
);
CREATE INDEX drill_archive_trigger ON drill_archive (trigger_key, digest);
`}

// migrate brings the schema to Version in one transaction. Of several processes that
// find an older one, one migrates it and the others wait for the lock and see it.
// schema is made first where it is named and missing.
func (s *Store) migrate(ctx context.Context, schema string, make bool) error {
	v, err := version(ctx, s.pool)
	switch {
	case err != nil || v == Version:
		return err
	case v == 0 && !make:
		return receipt.ErrNoStore
	}
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, lock, []int64{hashed("schema")}); err != nil {
			return err
		}
		if schema != "" {
			if _, err := tx.Exec(ctx, "CREATE SCHEMA IF NOT EXISTS "+quoted(schema)); err != nil {
				return err
			}
		}
		v, err := version(ctx, tx)
		if err != nil || v == Version {
			return err
		}
		for _, m := range migrations[v:] {
			if _, err := tx.Exec(ctx, m); err != nil {
				return fmt.Errorf("from schema version %d to %d: %w", v, Version, err)
			}
		}
		_, err = tx.Exec(ctx, "UPDATE drill_schema SET version = $1", Version)
		return err
	})
}

type querier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// exists reads pg_class: to_regclass answers from a cache that a transaction which
// waited for another's tables does not renew.
const exists = `SELECT EXISTS (SELECT FROM pg_class WHERE relname = 'drill_schema' AND pg_table_is_visible(oid))`

// version returns 0 where there is no schema, and refuses one that it can not read.
func version(ctx context.Context, q querier) (v int, err error) {
	var found bool
	if err := q.QueryRow(ctx, exists).Scan(&found); err != nil || !found {
		return 0, err
	}
	switch err := q.QueryRow(ctx, "SELECT version FROM drill_schema").Scan(&v); {
	case errors.Is(err, pgx.ErrNoRows):
		return 0, fmt.Errorf("%w: drill_schema is empty", receipt.ErrDamaged)
	case err != nil:
		return 0, err
	case v > Version:
		return 0, fmt.Errorf("%w: schema version %d, this one reads up to %d", receipt.ErrNewer, v, Version)
	case v < 1:
		return 0, fmt.Errorf("%w: schema version %d", receipt.ErrDamaged, v)
	}
	return v, nil
}
