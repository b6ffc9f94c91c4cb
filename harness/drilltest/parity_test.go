package drilltest_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/fakes"
	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/check"
	"github.com/retrydrill/drill/harness/drilltest"
	"github.com/retrydrill/drill/harness/suite"
	"github.com/retrydrill/drill/harness/wire"
	"github.com/retrydrill/drill/harness/worker"
	"github.com/retrydrill/drill/scenarios"
	"github.com/retrydrill/drill/targets"
)

// TestABubbleIsLikeTheWire: what a team's executor does under a schedule is judged
// alike, has the same effects and reports the same over TCP and in a bubble, through
// the client that it is given and through a transport of its own. What drill's own
// executors do is compared in cmd/drill, in the sim, too.
func TestABubbleIsLikeTheWire(t *testing.T) {
	p, err := targets.Builtin("stripe-v1")
	require.NoError(t, err)
	executors := map[string]worker.New{
		"careful":       refunds{key: actionID}.worker,
		"careless":      refunds{loops: true}.worker,
		"own transport": refunds{key: actionID, own: true}.worker,
	}
	real, err := wire.New(wire.Options{Target: fakes.Of(p), Funcs: executors, Dir: t.TempDir()})
	require.NoError(t, err)
	virtual := drilltest.Bubbles(t, fakes.Of(p), executors)
	defer func() { require.NoError(t, errors.Join(real.Close(), virtual.Close())) }()
	a := p.DefaultAction()
	for name, scenario := range map[string][]string{
		"careful":       {"control", "gateway-error", "rejected-for-good", "changed-arguments", "report-lost", "target-down-then-up"},
		"careless":      {"lost-answer", "report-lost"},
		"own transport": {"lost-answer", "target-down-then-up"},
	} {
		picked, err := scenarios.Pick(scenario)
		require.NoError(t, err)
		o := suite.Options{Promises: p.Promises(), Seed: 1, Limits: harness.DefaultLimits(), Scenarios: picked,
			Action: suite.Template{Effect: a.Effect, BusinessKey: a.BusinessKey, Arguments: a.Arguments, Changed: a.Changed}}
		t.Run(name, func(t *testing.T) {
			for _, sc := range picked {
				for _, trial := range sc.Trials {
					s, err := o.Schedule(trial)
					require.NoError(t, err)
					if s.Connection == "warm" && name != "own transport" {
						// On the wire each delivery is handed a client of its own.
						continue
					}
					s.Executor = harness.Executor{Name: name, Abilities: plain}
					var got, want string
					// On the wire time is real: what differs is compared with longer
					// deadlines, as a run carries out again what was slow.
					for _, times := range slices.Concat([]int{1}, harness.Patience[:]) {
						s.Limits = harness.DefaultLimits().Scaled(times)
						s.Executor.Kind = "builtin"
						got = outcome(t, virtual, s)
						s.Executor.Kind = "func"
						if want = outcome(t, real, s); want == got {
							break
						}
					}
					require.Equal(t, want, got, "%s/%s: on the wire, and in a bubble", sc.Name, trial.Name)
				}
			}
		})
	}
}

// outcome is what has to be the same.
func outcome(t *testing.T, w harness.World, s harness.Schedule) string {
	h, err := w.Run(t.Context(), s)
	require.NoError(t, err)
	j := check.Judge(h)
	var broken, told []string
	effects := 0
	for _, v := range j.Violations {
		broken = append(broken, v.Invariant)
	}
	slices.Sort(broken)
	for _, e := range h.Events {
		switch e.Kind {
		case harness.EvEffect:
			effects++
		case harness.EvReport:
			told = append(told, fmt.Sprint(e.Report.Outcome, "/", e.Report.ErrorClass))
		}
	}
	return fmt.Sprintln(j.Verdict, slices.Compact(broken), effects, strings.Join(told, " "), h.FaultsFired())
}
