package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/retrydrill/drill/harness/receipt"
	"github.com/retrydrill/drill/harness/receipt/postgres/cluster"
	"github.com/retrydrill/drill/harness/receipt/receipttest"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// server is started by the first test that asks and serves them all.
var server = sync.OnceValues(func() (*cluster.Server, error) { return cluster.Start(context.Background()) })

func TestMain(m *testing.M) {
	receipttest.JoinCrowd(func(ctx context.Context, dsn string) (receipt.Store, error) { return Open(ctx, dsn) })
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		if s, err := server(); err == nil {
			if err := s.Stop(); err != nil {
				fmt.Fprintln(os.Stderr, err)
				code = 1
			}
		}
		os.Exit(code)
	}))
}

// running returns the server; without one a test is skipped, or in CI fails.
func running(t testing.TB) *cluster.Server {
	t.Helper()
	s, err := server()
	if errors.Is(err, cluster.ErrNoServer) && os.Getenv("CI") != "true" {
		t.Skip(err)
	}
	require.NoError(t, err)
	return s
}

// empty returns the connection string of a schema that lives as long as the test.
func empty(t testing.TB) string {
	t.Helper()
	dsn, drop, err := running(t).Schema(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, drop()) })
	return dsn
}

func opened(t testing.TB, dsn string) *Store {
	t.Helper()
	s, err := Open(t.Context(), dsn)
	require.NoError(t, err)
	return s
}

func TestConformance(t *testing.T) {
	receipttest.Run(t, func(t *testing.T) receipt.Books { return opened(t, empty(t)) })
}

func TestParity(t *testing.T) {
	s := opened(t, empty(t))
	defer s.Close()
	receipttest.Parity(t, s)
}

func TestCrowd(t *testing.T) {
	receipttest.Crowd(t,
		func(t *testing.T) string { return empty(t) },
		func(t *testing.T, dsn string) receipt.Store { return opened(t, dsn) })
}

func TestReceiptsSurviveClose(t *testing.T) {
	dsn := empty(t)
	s := opened(t, dsn)
	want := receipttest.At(t, s, receipttest.NewClaim("a", 1), receipt.Confirmed)
	require.NoError(t, s.Close())
	s = opened(t, dsn)
	defer s.Close()
	got, err := s.Get(t.Context(), "a")
	require.NoError(t, err)
	require.Equal(t, want, got)
}

func TestManyOpenAtOnce(t *testing.T) {
	dsn := empty(t)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			s, err := Open(t.Context(), dsn)
			if err != nil {
				t.Error(err)
				return
			}
			_ = s.Close()
		})
	}
	all.Wait()
}

// TestServerCrash: what was written is there after the server died at once, and
// the store that was open goes on.
func TestServerCrash(t *testing.T) {
	if !running(t).Private() {
		t.Skip(cluster.DSN + " names a server that is not the test's to crash")
	}
	s := opened(t, empty(t))
	defer s.Close()
	want := receipttest.At(t, s, receipttest.NewClaim("a", 1), receipt.Sent)
	require.NoError(t, running(t).Crash(t.Context()))
	got, err := s.Get(t.Context(), "a")
	if err != nil {
		require.ErrorIs(t, err, receipt.ErrUnwritable, "the connection that broke is told once")
		got, err = s.Get(t.Context(), "a")
	}
	require.NoError(t, err)
	require.Equal(t, want, got)
	require.NoError(t, s.Write(t.Context(), receipt.Sent, got.To(receipt.Confirmed, receipttest.Start)))
}

// TestOpenIn: a schema of its own is made once, holds its own receipts, and is taken
// away with what it held.
func TestOpenIn(t *testing.T) {
	dsn := running(t).DSN
	name := fmt.Sprintf(`drill "odd" %d`, os.Getpid())
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			s, err := OpenIn(context.Background(), dsn, name)
			if err != nil {
				t.Error(err)
				return
			}
			_ = s.Close()
		})
	}
	all.Wait()
	s, err := OpenIn(t.Context(), dsn, name)
	require.NoError(t, err)
	live := receipttest.At(t, s, receipttest.NewClaim("live", 1), receipt.Sent)
	old := receipttest.At(t, s, receipttest.NewClaim("old", 1), receipt.Confirmed)
	require.NoError(t, s.Archive(t.Context(), old, receipttest.Start))
	require.NoError(t, s.Close())
	var want []string
	for _, r := range []receipt.Receipt{live, old} {
		b, err := receipt.Encode(r)
		require.NoError(t, err)
		want = append(want, string(b))
	}
	got, err := Take(t.Context(), dsn, name)
	require.NoError(t, err)
	require.Equal(t, want, got)
	got, err = Take(t.Context(), dsn, name)
	require.NoError(t, err)
	require.Empty(t, got)
}
