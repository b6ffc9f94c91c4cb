package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/retrydrill/drill/harness/receipt"
)

// session holds the settings of every connection, in milliseconds, unless the
// connection string has its own. A worker that vanished in a transaction gives its
// locks back; nobody waits for a lock without end.
var session = map[string]string{
	"default_transaction_isolation":       "read committed",
	"lock_timeout":                        "10000",
	"idle_in_transaction_session_timeout": "10000",
	"application_name":                    "drill",
}

// connect takes dsn's own search path, or a schema in its place.
func connect(ctx context.Context, dsn, schema string) (*pgxpool.Pool, string, error) {
	config, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		// The parser's own text quotes the string, and only tries to hide the password.
		return nil, "", fmt.Errorf("%w: receipts: the connection string can not be read: a postgres:// URL or key=value pairs are expected", receipt.ErrUnwritable)
	}
	for name, value := range session {
		if _, set := config.ConnConfig.RuntimeParams[name]; !set {
			config.ConnConfig.RuntimeParams[name] = value
		}
	}
	if schema != "" {
		config.ConnConfig.RuntimeParams["search_path"] = quoted(schema)
	}
	config.AfterConnect = durable
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, "", fmt.Errorf("receipts: connect: %w", named(err))
	}
	return pool, config.ConnConfig.Database, nil
}

// durable turns synchronous_commit on where it is off, and leaves stricter levels
// (remote_apply) as they are.
func durable(ctx context.Context, c *pgx.Conn) error {
	_, err := c.Exec(ctx, "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'")
	return err
}

// sentinels maps SQLSTATE codes and classes, the longest first, to what they mean
// for a store (https://www.postgresql.org/docs/current/errcodes-appendix.html).
var sentinels = []struct {
	prefix   string
	sentinel error
}{
	{"53100", receipt.ErrFull},       // disk_full
	{"25006", receipt.ErrUnwritable}, // read_only_sql_transaction: a standby
	{"42501", receipt.ErrUnwritable}, // insufficient_privilege
	{"55P03", receipt.ErrUnwritable}, // lock_not_available: lock_timeout
	{"08", receipt.ErrUnwritable},    // connection exception
	{"28", receipt.ErrUnwritable},    // invalid authorization
	{"3D", receipt.ErrUnwritable},    // invalid catalog name: no such database
	{"3F", receipt.ErrUnwritable},    // invalid schema name: nothing in the search path
	{"53", receipt.ErrUnwritable},    // insufficient resources: too many connections
	{"57P", receipt.ErrUnwritable},   // operator intervention: shutdown, crash, start-up
	{"58", receipt.ErrUnwritable},    // system error: input and output
	{"42", receipt.ErrDamaged},       // no such table or column, or one that is not ours
	{"XX", receipt.ErrDamaged},       // corrupted data or index, internal error
}

// named puts receipt's sentinel in front of Postgres' error.
func named(err error) error {
	if e := (*pgconn.PgError)(nil); errors.As(err, &e) {
		for _, s := range sentinels {
			if strings.HasPrefix(e.Code, s.prefix) {
				return fmt.Errorf("%w: %w", s.sentinel, err)
			}
		}
		return err
	}
	if unreachable(err) {
		return fmt.Errorf("%w: the server can not be reached: %w", receipt.ErrUnwritable, err)
	}
	return err
}

// unreachable reports whether there was no connection, or it broke. A write that
// ends so may have been made.
func unreachable(err error) bool {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	var connecting *pgconn.ConnectError
	var broken net.Error
	return errors.As(err, &connecting) || errors.As(err, &broken) || errors.Is(err, pgconn.ErrConnClosed) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}
