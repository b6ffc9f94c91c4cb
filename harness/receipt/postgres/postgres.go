package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/retrydrill/drill/harness/receipt"
)

// Store is a [receipt.Store] in one database. It connects when it has to and again
// after the server went away.
type Store struct {
	pool *pgxpool.Pool
	// name is the database's, which errors may show.
	name string
}

var _ receipt.Store = (*Store)(nil)

// Open connects, makes the tables where they are missing and migrates those of an
// older version. dsn is a connection
// string of libpq's, as a URL or as key=value; the tables are in the first schema of
// its search_path. Errors are one of receipt's sentinels where the database can not
// be used.
func Open(ctx context.Context, dsn string) (*Store, error) { return open(ctx, dsn, "", true) }

// OpenExisting is Open for who wants to read: it makes no tables, and where there are
// none returns [receipt.ErrNoStore].
func OpenExisting(ctx context.Context, dsn string) (*Store, error) { return open(ctx, dsn, "", false) }

func open(ctx context.Context, dsn, schema string, make bool) (*Store, error) {
	pool, name, err := connect(ctx, dsn, schema)
	if err != nil {
		return nil, err
	}
	s := &Store{pool: pool, name: name}
	if err := s.migrate(ctx, schema, make); err != nil {
		pool.Close()
		return nil, s.fail("open", err)
	}
	return s, nil
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
