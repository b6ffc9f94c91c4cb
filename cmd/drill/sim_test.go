package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/fakes"
	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/check"
	"github.com/retrydrill/drill/harness/sim"
	"github.com/retrydrill/drill/targets"
)

var simSeeds = flag.Int("sim.seeds", 0, "how many seeds are run twice in the sim (default 1000, with -short 100)")

// seeds is how many are run.
func seeds() uint64 {
	switch {
	case *simSeeds > 0:
		return uint64(*simSeeds)
	case testing.Short():
		return 100
	}
	return 1000
}

// simWorld is the sim with the built-in executors and a profile's fake.
func simWorld(t testing.TB, profile string) *sim.World {
	p, err := targets.Builtin(profile)
	require.NoError(t, err)
	w := sim.New(sim.Options{Builtins: builtins(), Target: fakes.Of(p)})
	t.Cleanup(func() { require.NoError(t, w.Close()) })
	return w
}

// seeded is a schedule of several faults, workers and lives under a seed.
func seeded(t testing.TB, seed uint64) harness.Schedule {
	s, _ := lostAnswer(t, "sim")
	s.Seed, s.Faults = seed, nil
	// What is drawn decides what happens: an executor that draws its keys and pauses.
	s.Executor.Name = []string{"reference", "key-per-attempt", "retry-everything"}[seed%3]
	lines := [][]string{
		{"create#1 response close"},
		{"create#1 response delay past-lease", "deliver#2 at create#1 request"},
		{"deliver#1 times 3", "create#1.. target reject 500"},
		{"create#1 response kill", "create#2 request reset?", "deliver#2 after past-retention"},
	}[seed/3%4]
	for _, l := range lines {
		f, err := harness.ParseFault(l)
		require.NoError(t, err)
		s.Faults = append(s.Faults, f)
	}
	return s
}

func recorded(t testing.TB, w harness.World, s harness.Schedule) []byte {
	h, err := w.Run(context.Background(), s)
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, h.Write(&b))
	return b.Bytes()
}

// inAnother are the seeds that a second process runs, too.
const inAnother = 60

// TestOneSeedOneHistory runs many seeds twice, side by side with others, and some of
// them in a second process, and compares the bytes.
func TestOneSeedOneHistory(t *testing.T) {
	w := simWorld(t, defaultTarget)
	first := map[uint64][]byte{}
	for seed := range seeds() {
		first[seed] = recorded(t, w, seeded(t, seed))
	}
	differ := 0
	for seed := range seeds() {
		if seed > 0 && !bytes.Equal(first[seed], first[seed-1]) {
			differ++
		}
	}
	require.EqualValues(t, seeds()-1, differ, "each seed has a history of its own")
	t.Run("again", func(t *testing.T) {
		for part := range uint64(4) {
			t.Run(fmt.Sprint(part), func(t *testing.T) {
				t.Parallel()
				for seed := part; seed < seeds(); seed += 4 {
					require.Equal(t, string(first[seed]), string(recorded(t, w, seeded(t, seed))), "seed %d", seed)
				}
			})
		}
	})
	t.Run("in a second process", func(t *testing.T) {
		cmd := exec.Command(os.Args[0], "-test.run", "^TestHistoryForAnother$")
		cmd.Env = append(os.Environ(), "DRILL_TEST_SIM=1")
		out, err := cmd.Output()
		require.NoError(t, err)
		var here []byte
		for seed := range uint64(inAnother) {
			here = append(here, recorded(t, w, seeded(t, seed))...)
		}
		require.Equal(t, string(here), string(out))
	})
}

// TestHistoryForAnother prints histories for the test above and ends.
func TestHistoryForAnother(t *testing.T) {
	if os.Getenv("DRILL_TEST_SIM") == "" {
		t.Skip("runs in a process that TestOneSeedOneHistory starts")
	}
	w := simWorld(t, defaultTarget)
	for seed := range uint64(inAnother) {
		_, err := os.Stdout.Write(recorded(t, w, seeded(t, seed)))
		require.NoError(t, err)
	}
	os.Exit(0)
}

// TestSimIsJudged: one lost answer, and the reference executor is cleared, one that
// sends no key convicted.
func TestSimIsJudged(t *testing.T) {
	w := simWorld(t, defaultTarget)
	s, _ := lostAnswer(t, "sim")
	for executor, want := range map[string]harness.Verdict{"reference": harness.Safe, "no-key": harness.Unsafe} {
		s.Executor.Name = executor
		h, err := w.Run(t.Context(), s)
		require.NoError(t, err)
		j := check.Judge(h)
		require.Equal(t, want, j.Verdict, j.Reason)
	}
}

// TestSimRefuses: what the sim can not carry is refused with a sentence that names
// it.
func TestSimRefuses(t *testing.T) {
	w := simWorld(t, defaultTarget)
	s, _ := lostAnswer(t, "sim")
	s.Executor = harness.Executor{Kind: "exec", Command: []string{"true"}}
	_, err := w.Run(t.Context(), s)
	require.ErrorIs(t, err, sim.ErrExecutor)
	require.ErrorContains(t, err, `kind "exec"`)
	s, _ = lostAnswer(t, "sim")
	f, err := harness.ParseFault("lease#1 expire")
	require.NoError(t, err)
	s.Faults = []harness.Fault{f}
	_, err = w.Run(t.Context(), s)
	require.ErrorIs(t, err, sim.ErrFault)
	require.ErrorContains(t, err, "lease#1 expire")
}
