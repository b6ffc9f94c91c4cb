package drilltest

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/report"
	"github.com/retrydrill/drill/harness/suite"
)

// unsafeName is what a file name may not hold.
var unsafeName = regexp.MustCompile(`[^A-Za-z0-9_.-]+`)

// dirOf is where the failing schedules of a test function are kept.
func dirOf(t *testing.T) string {
	return filepath.Join("testdata", "drill", unsafeName.ReplaceAllString(rooted(t), "_"))
}

// keep writes a failing schedule, to be run first the next time. The executor is not
// part of it: it is whatever the test drills then.
func keep(t *testing.T, s harness.Schedule) {
	t.Helper()
	s.Executor = harness.Executor{Kind: s.Executor.Kind, Name: workerName}
	path, err := suite.Keep(dirOf(t), s)
	if err != nil {
		t.Errorf("drill: %v", err)
		return
	}
	t.Logf("kept as %s", path)
}

// again runs what failed before; what holds now stays kept, since it may come back.
func again(t *testing.T, o suite.Options) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dirOf(t), "*.yaml"))
	if err != nil || len(paths) == 0 {
		return
	}
	t.Run("kept", func(t *testing.T) {
		for _, path := range paths {
			t.Run(filepath.Base(path), func(t *testing.T) {
				t.Helper()
				replay(t, o, path)
			})
		}
	})
}

func replay(t *testing.T, o suite.Options, path string) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("drill: %v", err)
	}
	s, err := harness.ParseSchedule(b)
	if err != nil {
		t.Fatalf("drill: %s: %v", path, err)
	}
	if s.Profile != o.Profile {
		t.Skipf("%s is of the target %s, this test drills %s", path, s.Profile, o.Profile)
	}
	s.Executor, s.ProfileDigest = o.Executor, o.ProfileDigest
	if s.Executor.Kind == "func" && s.Kills() {
		t.Skip("the schedule kills its worker: Isolate is not set")
	}
	h, j, err := suite.Carry(context.Background(), o.World, s)
	if err != nil {
		t.Fatalf("drill: %s: %v", path, err)
	}
	tr := report.Trial{ID: path}.Judged(h, j)
	switch tr.Verdict {
	case harness.Unsafe:
		fail(t, o.World, tr)
	case harness.Inconclusive:
		unjudged(t, tr)
	}
}
