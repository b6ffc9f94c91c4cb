package drilltest_test

import (
	"context"
	"crypto/rand"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/drilltest"
	"github.com/retrydrill/drill/harness/worker"
)

// plain is what these executors lack.
var plain = map[string]bool{"checks-approval": false, "waits": false, "looks-up": false}

// quick are scenarios that hold for an executor with a kept key and a note.
var quick = []string{"control", "lost-answer", "dies-before-sending", "dies-after-commit", "changed-arguments", "rejected-for-good"}

func TestCareful(t *testing.T) {
	drilltest.Run(t, drilltest.Options{Target: "stripe-v1", New: refunds{key: actionID}.worker, Isolate: true, Abilities: plain, Scenarios: quick})
}

func TestCarefulInside(t *testing.T) {
	drilltest.Run(t, drilltest.Options{New: refunds{key: actionID}.worker, Abilities: plain, Scenarios: []string{"lost-answer", "dies-after-commit"}})
}

func TestCarefulOnTheWire(t *testing.T) {
	drilltest.Run(t, drilltest.Options{New: refunds{key: actionID}.worker, Wire: true, Abilities: plain, Scenarios: []string{"lost-answer", "dies-after-commit"}})
}

func needsPython(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("python3"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("python3 is missing")
		}
		t.Skip("python3 is missing")
	}
}

func TestServedCommand(t *testing.T) {
	needsPython(t)
	drilltest.Run(t, drilltest.Options{Command: []string{"python3", "../../testdata/workers/served.py", "careful.py"}, Serve: &harness.Served{},
		Scenarios: []string{"dies-after-commit"}})
}

func TestCarefulCommand(t *testing.T) {
	needsPython(t)
	drilltest.Run(t, drilltest.Options{Command: []string{"python3", "../../testdata/workers/careful.py"}, Scenarios: []string{"lost-answer"}})
}

func TestExploreCareful(t *testing.T) {
	drilltest.Explore(t, drilltest.Options{New: refunds{key: actionID}.worker, Abilities: plain}, drilltest.Space{Depth: 1, Budget: 60})
}

// The careless ones fail on purpose, in a test binary of their own: see TestFailures.
func TestCareless(t *testing.T) {
	if os.Getenv("DRILLTEST_FAIL") == "" && os.Getenv("DRILL_BUILTIN") == "" {
		t.Skip("fails on purpose; TestFailures runs it")
	}
	drilltest.Run(t, drilltest.Options{New: refunds{loops: true}.worker, Isolate: true, Abilities: plain, Scenarios: []string{"lost-answer", "dies-after-commit"}})
}

func TestCarelessExplored(t *testing.T) {
	if os.Getenv("DRILLTEST_FAIL") == "" {
		t.Skip("fails on purpose; TestFailures runs it")
	}
	drilltest.Explore(t, drilltest.Options{New: refunds{loops: true}.worker, Abilities: plain}, drilltest.Space{Depth: 1})
}

// TestMoodyExplored looks up what there is before it begins, in every other life.
func TestMoodyExplored(t *testing.T) {
	if os.Getenv("DRILLTEST_FAIL") == "" {
		t.Skip("fails on purpose; TestFailures runs it")
	}
	careful := refunds{key: actionID}
	lives := 0
	moody := func(ctx context.Context, env worker.Env, job worker.Job, report func(harness.Report)) error {
		if lives++; lives%2 == 0 {
			// That nothing is there yet is no reason to end.
			_, _ = careful.find(ctx, env, job.Actions[0])
		}
		return careful.deliver(ctx, env, job, report)
	}
	none := func() error { return nil }
	drilltest.Explore(t, drilltest.Options{New: func(worker.Env) (worker.Func, func() error, error) { return moody, none, nil }, Abilities: plain},
		drilltest.Space{Depth: 1, Budget: 1})
}

func TestCheckCareful(t *testing.T) {
	checks(t, "15")
	drilltest.Check(t, drilltest.Options{New: refunds{key: actionID}.worker, Abilities: plain})
}

func TestCheckCareless(t *testing.T) {
	if os.Getenv("DRILLTEST_FAIL") == "" {
		t.Skip("fails on purpose; TestFailures runs it")
	}
	drilltest.Check(t, drilltest.Options{New: refunds{loops: true}.worker, Abilities: plain})
}

// checks sets how often rapid draws, and from which seed, for one test.
func checks(t *testing.T, n string) {
	t.Helper()
	for name, value := range map[string]string{"rapid.checks": n, "rapid.seed": "1"} {
		f := flag.Lookup(name)
		before := f.Value.String()
		require.NoError(t, f.Value.Set(value))
		t.Cleanup(func() { _ = f.Value.Set(before) })
	}
}

func FuzzCareful(f *testing.F) {
	f.Add([]byte("any bytes draw a schedule, however few of them there are"))
	f.Fuzz(drilltest.MakeFuzz(f, drilltest.Options{New: refunds{key: actionID}.worker, Abilities: plain}))
	require.Equal(f, os.Getenv("DRILLTEST_MINIMIZES") != "", flag.Lookup("test.fuzzminimizetime").Value.String() != "0s", "the fuzzer makes inputs small where it is asked to")
}

// TestTheFuzzerMinimizesWhereItIsAsked: FuzzCareful itself looks.
func TestTheFuzzerMinimizesWhereItIsAsked(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	c := exec.Command(self, "-test.run=^FuzzCareful$", "-test.fuzzminimizetime=1m0s")
	c.Env = append(os.Environ(), "DRILLTEST_MINIMIZES=1")
	out, err := c.CombinedOutput()
	require.NoError(t, err, "%s", out)
}

func TestWrongOptions(t *testing.T) {
	if os.Getenv("DRILLTEST_FAIL") == "" {
		t.Skip("fails on purpose; TestFailures runs it")
	}
	drilltest.Run(t, drilltest.Options{Target: "paper", New: refunds{}.worker})
}

// Each of these fails on purpose; see TestFailures.
func TestUndeclared(t *testing.T) {
	if os.Getenv("DRILLTEST_FAIL") == "" {
		t.Skip("fails on purpose; TestFailures runs it")
	}
	drilltest.Run(t, drilltest.Options{New: smallest, Scenarios: []string{"wrong-approval", "unavailable-for-long"}})
}

func FuzzCareless(f *testing.F) {
	if os.Getenv("DRILLTEST_FAIL") == "" {
		f.Skip("fails on purpose; TestFailures runs it")
	}
	f.Fuzz(drilltest.MakeFuzz(f, drilltest.Options{New: refunds{loops: true}.worker, Abilities: plain}))
}

// idle is an executor that does nothing.
var idle = drilltest.Options{New: func(worker.Env) (worker.Func, func() error, error) {
	return func(context.Context, worker.Env, worker.Job, func(harness.Report)) error { return nil }, func() error { return nil }, nil
}}

// TestIdle and FuzzIdle are what can not be judged, in a way each.
func TestIdle(t *testing.T) {
	if os.Getenv("DRILLTEST_FAIL") == "" {
		t.Skip("fails on purpose; TestWhatCanNotBeJudgedIsRefused runs it")
	}
	t.Run("run", func(t *testing.T) { drilltest.Run(t, idle) })
	t.Run("explore", func(t *testing.T) { drilltest.Explore(t, idle, drilltest.Space{}) })
	t.Run("check", func(t *testing.T) { drilltest.Check(t, idle) })
}

func FuzzIdle(f *testing.F) {
	if os.Getenv("DRILLTEST_FAIL") == "" {
		f.Skip("fails on purpose; TestWhatCanNotBeJudgedIsRefused runs it")
	}
	f.Fuzz(drilltest.MakeFuzz(f, idle))
}

func TestWhatCanNotBeJudgedIsRefused(t *testing.T) {
	for _, pattern := range []string{"^TestIdle$/^run$", "^TestIdle$/^explore$", "^TestIdle$/^check$", "^FuzzIdle$"} {
		out := fails(t, t.TempDir(), pattern)
		require.Contains(t, out, "drill: the control (the same action twice, no fault) can not be judged: no delivery was acknowledged: ", pattern)
		require.NotContains(t, out, "unsafe: ", pattern)
	}
}

// fails runs one of the tests above in a folder of its own and returns what it says.
func fails(t *testing.T, dir, pattern string) string {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	c := exec.Command(self, "-test.run="+pattern)
	c.Dir = dir
	c.Env = append(os.Environ(), "DRILLTEST_FAIL=1")
	out, err := c.CombinedOutput()
	require.Error(t, err, "%s", out)
	return string(out)
}

func TestFailures(t *testing.T) {
	dir := t.TempDir()
	out := fails(t, dir, "^TestCareless$")
	lines := strings.Split(out, "\n")
	at := -1
	for i, l := range lines {
		if strings.Contains(l, "unsafe: one-effect: expected 1 effect, observed 2 effects") {
			at = i
			break
		}
	}
	require.GreaterOrEqual(t, at, 0, out)
	require.Contains(t, lines[at+1], `again: go test github.com/retrydrill/drill/harness/drilltest -run '^TestCareless$/^lost-answer$' -drill.seed=1`, "the second line repeats it")
	require.Contains(t, out, "create#1 response kill", "a worker in a process of its own was killed")
	require.Contains(t, out, "REPORTS A done")
	require.Contains(t, out, "rule one-effect: Violated by", "what the rule forbids")
	require.NotContains(t, out, "assumed: ")

	kept, err := filepath.Glob(filepath.Join(dir, "testdata", "drill", "TestCareless", "*.yaml"))
	require.NoError(t, err)
	require.NotEmpty(t, kept)
	out = fails(t, dir, "^TestCareless$/^kept$")
	require.Contains(t, out, "--- FAIL: TestCareless/kept/"+filepath.Base(kept[0]))
	require.NotContains(t, out, "--- FAIL: TestCareless/lost-answer")

	out = fails(t, dir, "^TestCarelessExplored$")
	require.Contains(t, out, "create#1 response close")
	require.Contains(t, out, "space: ")

	out = fails(t, dir, "^TestMoodyExplored$")
	require.Contains(t, out, "drill: not reproducible: two runs differed where no fault had struck: step 2 was request of ")

	out = fails(t, dir, "^TestCheckCareless$")
	require.Contains(t, out, "again: go test github.com/retrydrill/drill/harness/drilltest -run '^TestCheckCareless$'")
	require.Contains(t, out, "smallest schedule: ")
	require.NotContains(t, out, "[rapid]", "what rapid says is kept back")
	require.NoDirExists(t, filepath.Join(dir, "testdata", "rapid"), "a schedule is kept, and nothing else")

	out = fails(t, dir, "^FuzzCareless$")
	require.Contains(t, out, "smallest schedule: ", "an input to begin with finds it")
	require.NotContains(t, out, "harness.Schedule{")

	out = fails(t, dir, "^TestUndeclared$")
	require.Contains(t, out, `assumed: the executor checks the approval that comes with an action. If yours is not meant to: Options{Abilities: map[string]bool{"checks-approval": false}}`)
	require.Contains(t, out, "could not be judged: a bound was hit: deliveries\n")
	require.Contains(t, out, "no delivery was acknowledged: one that can not go on reports the outcome needs_review")

	out = fails(t, dir, "^TestCarelessRandom$")
	require.Contains(t, out, "drill: not reproducible: two runs of one schedule differ")
	require.Contains(t, out, "unsafe: ")
	require.Contains(t, out, "event 2 was", "both runs are shown")

	out = fails(t, dir, "^TestWrongOptions$")
	require.Contains(t, out, `drill: no such profile: "paper"`)
}

// TestCarelessRandom draws its keys, which nobody asked for.
func TestCarelessRandom(t *testing.T) {
	if os.Getenv("DRILLTEST_FAIL") == "" {
		t.Skip("fails on purpose; TestFailures runs it")
	}
	drawn := func(worker.JobAction) string { return rand.Text() }
	drilltest.Run(t, drilltest.Options{New: refunds{key: drawn, loops: true}.worker, Abilities: plain, Scenarios: []string{"lost-answer"}})
}
