package main

import (
	"context"
	"errors"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/fakes"
	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/receipt/postgres/cluster"
	"github.com/retrydrill/drill/harness/suite"
	"github.com/retrydrill/drill/harness/wire"
)

// keepInPostgres opens a server; without one a test is skipped, or in CI fails.
func keepInPostgres(t *testing.T) *kept {
	t.Helper()
	k, err := keep(t.Context(), inPostgres)
	if errors.Is(err, cluster.ErrNoServer) && os.Getenv("CI") != "true" {
		t.Skip(err)
	}
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, k.close()) })
	return k
}

// TestCatalogueInPostgres: the reference executor is safe in the whole catalogue with
// its receipts in Postgres, where they really are, and none stays behind.
func TestCatalogueInPostgres(t *testing.T) {
	t.Parallel()
	k := keepInPostgres(t)
	f := runFlags{seed: 1, receipts: inPostgres, given: func(string) bool { return false }}
	o, profile, err := f.options(nil)
	require.NoError(t, err)
	taken := make(chan string, 10_000)
	w, err := wire.New(wire.Options{Builtins: builtins(), Dir: t.TempDir(), Target: fakes.Of(profile), Receipts: k.dsn,
		Take: func(dir string) ([]string, error) {
			texts, err := k.take(dir)
			for _, text := range texts {
				taken <- text
			}
			again, aerr := k.take(dir)
			require.Empty(t, again, "it is taken away")
			return texts, errors.Join(err, aerr)
		}})
	require.NoError(t, err)
	defer func() { require.NoError(t, w.Close()) }()
	o.World, o.Dir, o.Parallel = shared{w, light}, "", int(trialsAtOnce)
	r, err := suite.Run(context.Background(), o, nil)
	require.NoError(t, err)
	safe := 0
	for _, tr := range r.Trials {
		require.Contains(t, []harness.Verdict{harness.Safe, harness.Skipped}, tr.Verdict, "%s: %s %v", tr.ID, tr.Reason, tr.Violations)
		if tr.Verdict == harness.Safe {
			safe++
		}
	}
	require.Greater(t, len(taken), safe/2, "the receipts were in the database")
	for _, c := range []struct{ where, world, kind string }{{"paper", "wire", "builtin"}, {inPostgres, "sim", "builtin"}, {inPostgres, "wire", "exec"}} {
		require.Error(t, checkKept(c.where, c.world, harness.Executor{Kind: c.kind}), c)
	}
}
