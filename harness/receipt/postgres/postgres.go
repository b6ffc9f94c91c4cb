package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/retrydrill/drill/harness/receipt"
)

// Version is the schema's version, kept in drill_schema.
const Version = 1

// schema is written in the transaction that finds none, into the first schema of
// the search path. A receipt stands whole as JSON; the columns before it are what
// statements compare. Text, not jsonb: jsonb refuses \u0000 and reorders.
const schema = `
CREATE TABLE drill_schema (one boolean PRIMARY KEY DEFAULT true CHECK (one), version integer NOT NULL);
CREATE TABLE drill_receipts (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  action_id text COLLATE "C" NOT NULL UNIQUE, trigger_key text COLLATE "C" NOT NULL, digest text COLLATE "C" NOT NULL,
  state text NOT NULL, fence bigint NOT NULL,
  receipt text NOT NULL
);
CREATE INDEX drill_receipts_trigger ON drill_receipts (trigger_key, digest);
CREATE TABLE drill_approvals (approval_id text COLLATE "C" PRIMARY KEY, action_id text COLLATE "C" NOT NULL);
INSERT INTO drill_schema (version) VALUES (%d);
`

// Store is a [receipt.Store] in one database. It connects when it has to and again
// after the server went away.
type Store struct {
	pool *pgxpool.Pool
	// name is the database's, which errors may show.
	name string
}

var _ receipt.Store = (*Store)(nil)

// Open connects and makes the tables where they are missing. dsn is a connection
// string of libpq's, as a URL or as key=value; the tables are in the first schema of
// its search_path. Errors are one of receipt's sentinels where the database can not
// be used.
func Open(ctx context.Context, dsn string) (*Store, error) {
	pool, name, err := connect(ctx, dsn)
	if err != nil {
		return nil, err
	}
	s := &Store{pool: pool, name: name}
	if err := s.migrate(ctx); err != nil {
		pool.Close()
		return nil, s.fail("open", err)
	}
	return s, nil
}

// migrate brings the schema to Version. Of several processes that find none, one
// writes it and the others wait for the lock and see it.
func (s *Store) migrate(ctx context.Context) error {
	v, err := version(ctx, s.pool)
	if err != nil || v == Version {
		return err
	}
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, lock, []int64{hashed("schema")}); err != nil {
			return err
		}
		v, err := version(ctx, tx)
		if err != nil || v == Version {
			return err
		}
		_, err = tx.Exec(ctx, fmt.Sprintf(schema, Version))
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

// Close closes the connections once the calls under way are done.
func (s *Store) Close() error {
	s.pool.Close()
	return nil
}

// fail says in which step and database an error happened.
func (s *Store) fail(step string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("receipts in database %s: %s: %w", s.name, step, named(err))
}
