package main

import (
	"cmp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/reference"
	"github.com/retrydrill/drill/harness/selftest"
)

// mostSchedules bounds the search of one mutant, in this test by what it runs and not by
// the time that it takes; drill selftest --search tells the time.
const mostSchedules = 4000

// TestSearchConvictsEveryMutant: without the catalogue each mutant is found, under a
// schedule that its safe twin passes and that has at most four lines.
func TestSearchConvictsEveryMutant(t *testing.T) {
	ran, most := 0, 0
	for i, m := range reference.Mutants {
		if m.NotShown != "" || testing.Short() && i%4 > 0 {
			continue
		}
		o := searching(t, m.Name, cmp.Or(m.Target, defaultTarget), 1, 1)
		o.Parallel, o.Budget = 1, mostSchedules
		f, err := selftest.Search(t.Context(), selftest.Seek{Options: o, Twin: harness.Executor{Kind: "builtin", Name: cmp.Or(m.Twin, defaultExecutor)}})
		require.NoError(t, err)
		require.NotEmpty(t, f.Broken, "%s: %s", m.Name, f.Why)
		require.LessOrEqual(t, len(f.Lines), 4, "%s: %q", m.Name, f.Lines)
		require.LessOrEqual(t, f.Ran, mostSchedules, m.Name)
		ran, most = ran+f.Ran, max(most, f.Ran)
	}
	t.Logf("%d schedules in all, %d for the one that took most", ran, most)
}
