package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"time"

	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/receipt"
)

// pragmas of every connection. BEGIN IMMEDIATE takes the write lock at once, so
// that a claim never reads what another is about to change; the busy time-out lets
// processes wait for each other.
const pragmas = "_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_txlock=immediate"

// connect opens the file with one connection, which serialises the goroutines of
// this process as the file's lock does the processes. mode is rwc or rw
// (https://www.sqlite.org/uri.html#urimode).
func connect(path, mode string) (*sql.DB, error) {
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?mode="+mode+"&"+pragmas)
	if err != nil {
		return nil, fmt.Errorf("receipts: open: %w", err)
	}
	db.SetMaxOpenConns(1)
	return db, nil
}

// untilFree repeats f while the file is locked: the switch to the write-ahead log
// does not wait for the busy time-out when several processes make the file at once
// (https://www.sqlite.org/wal.html#sometimes_queries_return_sqlite_busy_in_wal_mode).
func untilFree(ctx context.Context, f func() error) error {
	const pause, tries = 5 * time.Millisecond, 2000
	for i := 0; ; i++ {
		err := f()
		if i == tries || code(err)&0xff != lib.SQLITE_BUSY {
			return err
		}
		if err := (harness.SystemClock{}).Sleep(ctx, pause); err != nil {
			return err
		}
	}
}

func code(err error) int {
	if e := (*sqlite.Error)(nil); errors.As(err, &e) {
		return e.Code()
	}
	return 0
}

// named puts receipt's sentinel in front of SQLite's error; the primary result
// code is the low byte (https://www.sqlite.org/rescode.html).
func named(err error) error {
	var sentinel error
	switch code(err) & 0xff {
	case lib.SQLITE_CORRUPT, lib.SQLITE_NOTADB:
		sentinel = receipt.ErrDamaged
	case lib.SQLITE_READONLY, lib.SQLITE_CANTOPEN, lib.SQLITE_PERM, lib.SQLITE_IOERR:
		sentinel = receipt.ErrUnwritable
	case lib.SQLITE_FULL:
		sentinel = receipt.ErrFull
	default:
		return err
	}
	return fmt.Errorf("%w: %w", sentinel, err)
}
