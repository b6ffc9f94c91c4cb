package postgres

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/retrydrill/drill/harness/receipt"
	"github.com/retrydrill/drill/harness/receipt/receipttest"
	"github.com/retrydrill/drill/internal/port"
	"github.com/stretchr/testify/require"
)

// with adds a setting to a test's connection string, of either form.
func with(dsn, name, value string) string {
	if strings.HasPrefix(dsn, "postgres") {
		return dsn + "&" + name + "=" + value
	}
	return dsn + " " + name + "=" + value
}

// execute runs what an operator, or an accident, does to the tables.
func execute(t *testing.T, dsn, sql string) {
	t.Helper()
	c, err := pgx.Connect(t.Context(), dsn)
	require.NoError(t, err)
	defer c.Close(context.Background())
	_, err = c.Exec(t.Context(), sql)
	require.NoError(t, err)
}

func TestBadSchemas(t *testing.T) {
	for _, c := range []struct {
		name, sql string
		want      error
	}{
		{"newer", fmt.Sprint("UPDATE drill_schema SET version = ", Version+1), receipt.ErrNewer},
		{"no version", "DELETE FROM drill_schema", receipt.ErrDamaged},
		{"nonsense version", "UPDATE drill_schema SET version = 0", receipt.ErrDamaged},
		{"another drill_schema", "DROP TABLE drill_schema; CREATE TABLE drill_schema (id int)", receipt.ErrDamaged},
		{"receipts without a version", "DROP TABLE drill_schema", receipt.ErrDamaged},
	} {
		t.Run(c.name, func(t *testing.T) {
			dsn := empty(t)
			require.NoError(t, opened(t, dsn).Close())
			execute(t, dsn, c.sql)
			_, err := Open(t.Context(), dsn)
			require.ErrorIs(t, err, c.want)
			require.ErrorContains(t, err, ": open: ")
		})
	}
}

// TestBadTables: what happens under an open store is told at the next call.
func TestBadTables(t *testing.T) {
	for _, c := range []struct {
		name, sql string
		want      error
	}{
		{"dropped", "DROP TABLE drill_receipts", receipt.ErrDamaged},
		{"text that is no receipt", "UPDATE drill_receipts SET receipt = '{'", receipt.ErrDamaged},
		{"other arguments", `UPDATE drill_receipts SET receipt = replace(receipt, '"amount":1', '"amount":2')`, receipt.ErrDamaged},
		{"a full disk", raising("53100"), receipt.ErrFull},
		{"an error of input and output", raising("58030"), receipt.ErrUnwritable},
		{"damaged pages", raising("XX001"), receipt.ErrDamaged},
	} {
		t.Run(c.name, func(t *testing.T) {
			dsn := empty(t)
			s := opened(t, dsn)
			defer s.Close()
			claim := receipttest.NewClaim("a", 1)
			_, _, err := s.Claim(t.Context(), claim)
			require.NoError(t, err)
			execute(t, dsn, c.sql)
			claim.Now = claim.Now.Add(receipttest.Lease)
			_, _, err = s.Claim(t.Context(), claim)
			require.ErrorIs(t, err, c.want)
			require.ErrorContains(t, err, ": claim: ")
		})
	}
}

// raising makes the server answer writes with a code of the test's choice, as it
// would where the disk is.
func raising(code string) string {
	return `CREATE FUNCTION fault() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'planted' USING ERRCODE = '` + code + `'; END $$;
		CREATE TRIGGER fault BEFORE INSERT OR UPDATE ON drill_receipts FOR EACH ROW EXECUTE FUNCTION fault()`
}

func TestBadServers(t *testing.T) {
	nobody, err := port.Hold()
	require.NoError(t, err)
	defer nobody.Close()
	dsn := empty(t)
	for name, dsn := range map[string]string{
		"nobody listens":     fmt.Sprintf("postgres://u:secret@%s/d?sslmode=disable", nobody.Address()),
		"no such database":   with(dsn, "dbname", "drill_no_such_database"),
		"no such schema":     with(dsn, "search_path", "drill_no_such_schema"),
		"no string":          "postgres://u:secret@[::1/d",
		"nonsense in a pool": "postgres://u:secret@127.0.0.1/d?pool_max_conns=secret",
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Open(t.Context(), dsn)
			require.ErrorIs(t, err, receipt.ErrUnwritable)
			require.NotContains(t, err.Error(), "secret")
		})
	}
}

func TestReadOnly(t *testing.T) {
	dsn := empty(t)
	first := opened(t, dsn)
	defer first.Close()
	want := receipttest.At(t, first, receipttest.NewClaim("a", 1), receipt.Sent)
	s := opened(t, with(dsn, "default_transaction_read_only", "on"))
	defer s.Close()
	_, _, err := s.Claim(t.Context(), receipttest.NewClaim("b", 1))
	require.ErrorIs(t, err, receipt.ErrUnwritable)
	require.ErrorIs(t, s.Write(t.Context(), receipt.Sent, want), receipt.ErrUnwritable)
	got, err := s.Get(t.Context(), "a")
	require.NoError(t, err)
	require.Equal(t, want, got)
}

// TestVanished: a worker that stopped in a transaction loses its locks, and until
// then nobody waits for them without end.
func TestVanished(t *testing.T) {
	dsn := empty(t)
	s := opened(t, with(dsn, "lock_timeout", "50"))
	defer s.Close()
	r := receipttest.At(t, s, receipttest.NewClaim("a", 1), receipt.Sent)

	gone := opened(t, dsn)
	defer gone.Close()
	tx, err := gone.pool.Begin(t.Context())
	require.NoError(t, err)
	defer tx.Rollback(context.Background())
	_, err = tx.Exec(t.Context(), find, "a", "", "")
	require.NoError(t, err)

	require.ErrorIs(t, s.Write(t.Context(), receipt.Sent, r), receipt.ErrUnwritable, "the lock's time-out is told")
	// From now on: before, nothing but the other's patience was to end.
	_, err = tx.Exec(t.Context(), "SET idle_in_transaction_session_timeout = 200")
	require.NoError(t, err)
	patient := opened(t, dsn)
	defer patient.Close()
	require.NoError(t, patient.Write(t.Context(), receipt.Sent, r))
}

func TestSettings(t *testing.T) {
	dsn := empty(t)
	for set, want := range map[string]string{"off": "on", "remote_apply": "remote_apply", "on": "on"} {
		s := opened(t, with(dsn, "synchronous_commit", set))
		var got string
		require.NoError(t, s.pool.QueryRow(t.Context(), "SHOW synchronous_commit").Scan(&got))
		require.Equal(t, want, got)
		require.NoError(t, s.Close())
	}
}

func TestContextEnds(t *testing.T) {
	s := opened(t, empty(t))
	defer s.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err := s.Claim(ctx, receipttest.NewClaim("a", 1))
	require.ErrorIs(t, err, context.Canceled)
	require.NotErrorIs(t, err, receipt.ErrUnwritable, "the caller gave up, the store did not fail")
	_, err = s.Get(t.Context(), "a")
	require.ErrorIs(t, err, receipt.ErrMissing)
}

// TestOddNames: IDs are text like any other, but for the one byte that Postgres
// keeps in no text.
func TestOddNames(t *testing.T) {
	s := opened(t, empty(t))
	defer s.Close()
	id := `'; DROP TABLE drill_receipts; -- "ü` + "\u2028\t\n"
	want := receipttest.At(t, s, receipttest.NewClaim(id, 1), receipt.Confirmed)
	got, err := s.Get(t.Context(), id)
	require.NoError(t, err)
	require.Equal(t, want, got)
	_, _, err = s.Claim(t.Context(), receipttest.NewClaim("a\x00b", 1))
	require.ErrorContains(t, err, "claim")
}
