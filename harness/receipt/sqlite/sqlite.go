// Package sqlite keeps receipts in one SQLite file that several processes share:
// write-ahead log, synchronous FULL, so that what a write returned from survives a
// SIGKILL and a power cut (https://www.sqlite.org/pragma.html#pragma_synchronous).
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/retrydrill/drill/harness/receipt"
)

// Store is a [receipt.Store] in one file.
type Store struct {
	db *sql.DB
	statements
	// path leads to file, as long as nobody deleted or replaced it; name is its last
	// part, which errors may show.
	path, name string
	file       fs.FileInfo
}

// Open opens or makes the database, and migrates one of an older version. The folder
// has to exist. Errors are one of receipt's sentinels where the file can not be used.
func Open(ctx context.Context, path string) (*Store, error) {
	return open(ctx, path, "rwc")
}

// OpenExisting is Open for who wants to read: it makes no file, and where there is
// none returns [receipt.ErrNoStore].
func OpenExisting(ctx context.Context, path string) (*Store, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("receipts %s: open: %w", filepath.Base(path), receipt.ErrNoStore)
	}
	return open(ctx, path, "rw")
}

// header is the length of a database's header
// (https://www.sqlite.org/fileformat2.html#the_database_header).
const header = 100

func open(ctx context.Context, path, mode string) (*Store, error) {
	// SQLite takes a file that is cut off within its header for an empty one.
	if f, err := os.Stat(path); err == nil && f.Size() > 0 && f.Size() < header {
		return nil, fmt.Errorf("receipts %s: open: %w: %d bytes", filepath.Base(path), receipt.ErrDamaged, f.Size())
	}
	db, err := connect(path, mode)
	if err != nil {
		return nil, err
	}
	s := &Store{db: db, path: path, name: filepath.Base(path)}
	err = untilFree(ctx, func() error { return s.migrate(ctx) })
	if err == nil {
		err = s.prepare(ctx, db)
	}
	if err == nil {
		s.file, err = os.Stat(path)
	}
	if err != nil {
		return nil, errors.Join(s.fail("open", err), db.Close())
	}
	return s, nil
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
