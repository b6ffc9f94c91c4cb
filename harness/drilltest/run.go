package drilltest

import (
	"context"
	"slices"
	"testing"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/report"
	"github.com/retrydrill/drill/harness/suite"
	"github.com/retrydrill/drill/scenarios"
)

// Run drills an executor with the catalogue, one subtest a scenario. A scenario whose
// needs are not met is skipped with the reason; one that is unsafe, or could not be
// judged, fails. What failed before is run first, in the subtest kept.
func Run(t *testing.T, o Options) {
	t.Helper()
	h := o.harness(t)
	s := h.options
	opened, err := suite.Open(context.Background(), s)
	if err != nil {
		t.Fatal(h.refusal(err))
	}
	h.begin(t)
	for _, sc := range s.Scenarios {
		t.Run(sc.Name, func(t *testing.T) {
			t.Helper()
			scenario(t, s.World, opened, sc)
		})
	}
}

func scenario(t *testing.T, w harness.World, s *suite.Session, sc scenarios.Scenario) {
	t.Helper()
	var trials []report.Trial
	if err := s.Run(context.Background(), []scenarios.Scenario{sc}, func(ts []report.Trial) { trials = append(trials, ts...) }); err != nil {
		t.Fatalf("drill: %v", err)
	}
	skipped := 0
	for _, tr := range trials {
		switch tr.Verdict {
		case harness.Unsafe:
			fail(t, w, tr, needs(sc, tr.ID)...)
			keep(t, tr.History.Schedule)
		case harness.Skipped:
			skipped++
			t.Logf("%s: skipped: %s", tr.ID, tr.Reason)
		case harness.Inconclusive:
			unjudged(t, tr)
		}
	}
	if skipped == len(trials) {
		t.SkipNow()
	}
}

// needs are those of a scenario and of its trial of that ID.
func needs(sc scenarios.Scenario, id string) []string {
	out := slices.Clone(sc.Needs)
	for _, trial := range sc.Trials {
		if id == sc.Name+"/"+trial.Name {
			out = append(out, trial.Needs...)
		}
	}
	return out
}
