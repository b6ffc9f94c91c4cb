package main

import (
	"bytes"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/retrydrill/drill/fakes"
	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/search/random"
	"github.com/retrydrill/drill/harness/sim"
	"github.com/retrydrill/drill/harness/tap"
	"github.com/retrydrill/drill/targets"
)

// TestATrialLeavesNothing: the sim makes its trials in the room of earlier ones. A
// trial after others gives the same bytes as in a world that ran nothing before, and
// what was handed out of the others stays as it was. Schedules are drawn with kills,
// several workers, notices and several steps, at targets and for executors that change
// from trial to trial, since what stays behind of one shows at another. In the world that
// ran nothing before each request has a coroutine of its own, whether or not it may have
// to wait.
func TestATrialLeavesNothing(t *testing.T) {
	profiles, plans := drawable(t, "stripe-v1", "payments", "orders", "dns-http", "no-key-no-lookup")
	used := simOf(t, profiles)
	executors := []string{"reference", "reference", "key-per-attempt", "retry-everything", "notice-as-trigger", "undo-on-unknown", "says-the-token"}
	words := map[string]bool{}
	rapid.Check(t, func(t *rapid.T) {
		type ran struct {
			history *harness.History
			bytes   []byte
		}
		var before []ran
		for range rapid.IntRange(2, 5).Draw(t, "trials") {
			s := rapid.OneOf(plans...).Draw(t, "plan")
			s.Executor.Name = rapid.SampledFrom(executors).Draw(t, "executor")
			s = beside(t, s)
			s.Seed = rapid.Uint64Range(1, 3).Draw(t, "seed")
			fresh := sim.New(sim.Options{Builtins: builtins(), Target: patient(fakesOf(profiles))})
			want := written(t, fresh, s)
			require.NoError(t, fresh.Close())
			h, err := used.Run(t.Context(), s)
			require.NoError(t, err)
			got := bytesOf(t, h)
			require.Equal(t, string(want), string(got))
			if rapid.Bool().Draw(t, "given back") {
				used.Reuse(h)
			} else {
				before = append(before, ran{h, got})
			}
			for _, f := range s.Faults {
				words[f.Key()] = true
			}
		}
		for _, r := range before {
			require.Equal(t, string(r.bytes), string(bytesOf(t, r.history)), "a history changed after its trial")
		}
	})
	for _, word := range []string{"response kill", "deliver times", "deliver at", "event twice", "record lose"} {
		require.True(t, words[word], "%s was not drawn", word)
	}
}

// beside puts a line to the plan, mostly, that random searches do not draw.
func beside(t *rapid.T, s harness.Schedule) harness.Schedule {
	line := rapid.SampledFrom([]string{"", "event#1 early?", "event#1 twice?", "event#1.. foreign?", "record#1 lose?", "record#2 kill-after?",
		"record#1..3 fail?", "record#2 hold until report#1?", "deliver#2 at create#1 request", "mutate#1 target hold until deliver#2?"}).Draw(t, "beside")
	if line == "" {
		return s
	}
	f, err := harness.ParseFault(line)
	require.NoError(t, err)
	with := s
	with.Faults = append(slices.Clone(s.Faults), f)
	if with.Validate() != nil {
		return s
	}
	return with
}

// drawable are the plans of a search with two workers at each target.
func drawable(t *testing.T, names ...string) (profiles []*targets.Profile, plans []*rapid.Generator[harness.Schedule]) {
	for _, name := range names {
		f := exploreFlags{runFlags: runFlags{executor: "reference", targets: []string{name}, world: "sim", seed: 1, format: "text",
			given: func(n string) bool { return n == "executor" || n == "target" }}, depth: 1, workers: 2, most: 2, span: 1}
		o, _, p, err := f.search()
		require.NoError(t, err)
		profiles = append(profiles, p)
		plans = append(plans, random.Schedules(random.Space{Schedule: o.Schedule, Promises: o.Promises, Ops: opsOf(p),
			Carries: o.Carries, Refuses: o.Refuses, Takes: fakes.Takes(p), Workers: 2}))
	}
	return profiles, plans
}

func simOf(t *testing.T, profiles []*targets.Profile) *sim.World {
	w := sim.New(sim.Options{Builtins: builtins(), Target: fakesOf(profiles)})
	t.Cleanup(func() { require.NoError(t, w.Close()) })
	return w
}

type target = func(*harness.Schedule, tap.TargetEnv) (*tap.Target, error)

// patient are targets that do not say that they are prompt.
func patient(of target) target {
	return func(s *harness.Schedule, env tap.TargetEnv) (*tap.Target, error) {
		x, err := of(s, env)
		if err != nil {
			return nil, err
		}
		out := *x
		out.Prompt = false
		return &out, nil
	}
}

func written(t *rapid.T, w harness.World, s harness.Schedule) []byte {
	h, err := w.Run(t.Context(), s)
	require.NoError(t, err)
	return bytesOf(t, h)
}

func bytesOf(t *rapid.T, h *harness.History) []byte {
	var b bytes.Buffer
	require.NoError(t, h.Write(&b))
	return slices.Clip(b.Bytes())
}
