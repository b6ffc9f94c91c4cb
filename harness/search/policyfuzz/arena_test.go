package policyfuzz_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/fakes"
	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/reference"
	"github.com/retrydrill/drill/harness/search/policyfuzz"
	"github.com/retrydrill/drill/harness/sim"
	"github.com/retrydrill/drill/harness/suite"
	"github.com/retrydrill/drill/harness/worker"
	"github.com/retrydrill/drill/scenarios"
	"github.com/retrydrill/drill/targets"
)

// where are the targets at which both judges are asked: keys and look-ups that are
// kept, forgotten, absent.
var where = []struct {
	target string
	forget bool
}{{"stripe-v1", false}, {"stripe-v1", true}, {"ietf-07", false}, {"ietf-07", true}, {"no-key-no-lookup", false}, {"lookup-by-reference", false}}

// arena is the reference executor at the fake of a profile, in the sim.
func arena(t testing.TB, target string, forget bool) policyfuzz.Arena {
	p, err := targets.Builtin(target)
	require.NoError(t, err)
	builtins := map[string]worker.New{}
	for _, x := range reference.Executors {
		builtins[x.Name] = x.New
	}
	w := sim.New(sim.Options{Builtins: builtins, Target: fakes.Of(p)})
	t.Cleanup(func() { require.NoError(t, w.Close()) })
	x := harness.Executor{Kind: "builtin", Name: "reference"}
	action := p.DefaultAction()
	s, err := suite.Options{WorldName: "sim", Executor: x, Promises: p.Promises(), Profile: target, ProfileDigest: p.Digest(), Seed: 1, Limits: harness.DefaultLimits(),
		Action: suite.Template{Effect: action.Effect, BusinessKey: action.BusinessKey, Arguments: action.Arguments, Changed: action.Changed}}.
		Schedule(scenarios.Trial{Actions: map[string]scenarios.Derived{"B": {Like: "A"}}})
	require.NoError(t, err)
	s.Settings.ForgetKey = forget
	var ops []string
	for _, name := range slices.Sorted(maps.Keys(p.Operations)) {
		if p.Operations[name].Changes {
			ops = append(ops, name)
		}
	}
	given := scenarios.Given{Promises: p.Promises(), Executor: x, HasChanged: len(action.Changed) > 0}
	return policyfuzz.Arena{World: w, Schedule: s, Promises: p.Promises(), Ops: ops, Depth: 2, Parallel: 2,
		Carries: func(f harness.Fault) bool {
			return len(sim.Unsupported(harness.Schedule{Faults: []harness.Fault{f}})) == 0
		},
		Refuses: func(f harness.Fault) string { return scenarios.Unmet(scenarios.NeedsOf(f), given) }}
}
