package scenarios_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/internal/located"
	"github.com/retrydrill/drill/scenarios"
)

func TestCatalogueListsEveryFile(t *testing.T) {
	files, err := filepath.Glob("*.yaml")
	require.NoError(t, err)
	require.Len(t, files, len(scenarios.Names()))
	for _, s := range scenarios.All() {
		b, err := os.ReadFile(s.Name + ".yaml")
		require.NoError(t, err)
		again, err := scenarios.Parse(s.Name+".yaml", b)
		require.NoError(t, err)
		require.Equal(t, s, again)
	}
}

func TestStoriesAreShort(t *testing.T) {
	for _, s := range scenarios.All() {
		n := strings.Count(s.Story+" ", ". ")
		require.True(t, n >= 1 && n <= 2, "%s: %d sentences: %s", s.Name, n, s.Story)
	}
}

// A guess that is lucky on one side of a fault is convicted on the other: what
// looks alike to the client has to be tried on both.
func TestFaultsThatLookAlikeRunAsTwins(t *testing.T) {
	for _, s := range scenarios.All() {
		switch s.Name {
		case "lost-answer", "gateway-error", "unavailable", "slow-answer":
		default:
			continue
		}
		sides := map[harness.Side]int{}
		for _, tr := range s.Trials {
			for _, f := range tr.Faults {
				sides[f.Where.Side]++
			}
		}
		require.NotZero(t, sides[harness.Request], s.Name)
		require.NotZero(t, sides[harness.Response], s.Name)
	}
}

func TestPick(t *testing.T) {
	got, err := scenarios.Pick([]string{"throttled", "lost-answer"})
	require.NoError(t, err)
	require.Equal(t, "lost-answer", got[0].Name, "the catalogue's order, not the caller's")
	require.Len(t, got, 2)
	_, err = scenarios.Pick([]string{"nothing"})
	require.ErrorContains(t, err, `there is no scenario "nothing": expected one of control,`)
}

const head = "name: a\nstory: It fails.\n"

func TestParseRefuses(t *testing.T) {
	for _, c := range []struct {
		name, in     string
		line, column int
		reason       string
	}{
		{"unknown key", head + "trials:\n  - name: x\n    fault: []\n", 5, 5, "unknown field"},
		{"no trial", head, 1, 1, "trials: none is given"},
		{"no story", "name: a\ntrials: [{name: x}]\n", 1, 1, "story is missing"},
		{"bad name", "name: A b\nstory: It.\ntrials: [{name: x}]\n", 1, 7, "expected lower-case words"},
		{"fault", head + "trials:\n  - name: x\n    faults:\n      - create#1 response\n", 6, 9, "column 18: what happens at create#1 response is missing"},
		{"unknown action", head + "trials:\n  - name: x\n    faults: [deliver#2 brings B]\n", 5, 14, "does not say how B is derived"},
		{"need", head + "needs: [key, luck]\ntrials: [{name: x}]\n", 3, 14, `no need "luck"`},
		{"trial's need", head + "trials:\n  - name: x\n    needs: [luck]\n", 5, 13, `no need "luck"`},
		{"connection", head + "trials:\n  - name: x\n    connection: hot\n", 5, 17, "expected warm or cold"},
		{"order", head + "trials:\n  - name: x\n    order: mixed\n", 5, 12, "expected forward or reverse"},
		{"deliveries", head + "trials:\n  - name: x\n    deliveries: 100\n", 5, 17, "expected 1 to 20"},
		{"derived twice", head + "trials:\n  - name: x\n    actions: {B: {like: A, whole: true}}\n", 5, 19, "derived in 2 ways"},
		{"derived from B", head + "trials:\n  - name: x\n    actions: {C: {like: B}}\n", 5, 19, "only A can be copied"},
		{"same name", head + "trials:\n  - name: x\n  - name: x\n", 5, 11, "a name of its own"},
		{"setting", head + "trials:\n  - name: x\n    settings: {forget-keys: true}\n", 5, 16, "unknown field"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := scenarios.Parse("s.yaml", []byte(c.in))
			var le *located.Error
			require.ErrorAs(t, err, &le)
			require.Contains(t, le.Reason, c.reason)
			require.Equal(t, [2]int{c.line, c.column}, [2]int{le.Line, le.Column}, err.Error())
		})
	}
}

func TestNeeds(t *testing.T) {
	kept := harness.Promises{Profile: "p", Key: harness.KeyPromise{Kept: true, Same: "replay"}}
	found := harness.Promises{Profile: "p", Lookup: harness.FindPromise{By: []string{"business_key"}, Lag: 5}}
	bare := harness.Promises{Profile: "p"}
	with := func(p harness.Promises) scenarios.Given { return scenarios.Given{Promises: p} }
	for _, c := range []struct {
		need  string
		given scenarios.Given
		want  string
	}{
		{"key", with(kept), ""},
		{"key", with(found), "needs key: p keeps no idempotency key"},
		{"lookup", with(found), ""},
		{"lookup", with(kept), "needs lookup: p offers no look-up"},
		{"key-or-lookup", with(kept), ""},
		{"key-or-lookup", with(found), ""},
		{"key-or-lookup", with(bare), "needs key-or-lookup: p keeps no idempotency key and offers no look-up"},
		{"declared-lag", with(found), ""},
		{"declared-lag", with(kept), "needs declared-lag: p declares no lag of its reads"},
		{"unique-names", with(harness.Promises{UniqueNames: true}), ""},
		{"unique-names", with(bare), "needs unique-names: p has no unique names"},
		{"whole", scenarios.Given{HasWhole: true}, ""},
		{"whole", with(bare), "needs whole: the action does not say what its whole is"},
		{"changed", scenarios.Given{HasChanged: true}, ""},
		{"changed", with(bare), "needs changed: the action does not say what changed arguments are"},
		{"receipts", scenarios.Given{Executor: harness.Executor{Kind: "builtin"}}, ""},
		{"receipts", scenarios.Given{Executor: harness.Executor{Kind: "exec"}}, "needs receipts: drill does not own the store that the executor writes to"},
		{"spellings", scenarios.Given{HasSpelled: true}, ""},
		{"spellings", with(bare), "needs spellings: the profile knows one spelling of the action's arguments"},
		{"normalises", with(bare), "needs normalises: the executor does not declare that it does"},
		{"normalises", scenarios.Given{Executor: harness.Executor{Kind: "exec", Abilities: map[string]bool{"normalises": true}}}, ""},
		{"normalises", scenarios.Given{Executor: harness.Executor{Kind: "builtin"}}, ""},
		{"kills", scenarios.Given{Executor: harness.Executor{Kind: "exec"}}, ""},
		{"kills", scenarios.Given{Executor: harness.Executor{Kind: "func"}}, "needs kills: a function inside drill can not be SIGKILLed"},
	} {
		require.Equal(t, c.want, scenarios.Unmet([]string{c.need}, c.given), c.need)
	}
	for _, a := range scenarios.Abilities {
		declared := func(b bool) harness.Executor {
			return harness.Executor{Kind: "builtin", Abilities: map[string]bool{a: b}}
		}
		require.Empty(t, scenarios.Unmet([]string{a}, scenarios.Given{Executor: harness.Executor{Kind: "builtin"}}), "neither declared nor shown")
		require.Contains(t, scenarios.Unmet([]string{a}, scenarios.Given{Executor: declared(false)}), "declares that it has not")
		require.Contains(t, scenarios.Unmet([]string{a}, scenarios.Given{Executor: harness.Executor{Kind: "builtin"}, Shown: map[string]bool{a: false}}), "the control showed")
		require.Contains(t, scenarios.Unmet([]string{a}, scenarios.Given{Executor: declared(true), Shown: map[string]bool{a: false}}),
			"the control showed", "what the control showed counts more than what is declared")
	}
}

func TestImpliedNeeds(t *testing.T) {
	implied := map[string]bool{}
	for _, s := range scenarios.All() {
		for _, tr := range s.Trials {
			for _, n := range tr.Implied() {
				implied[s.Name+" "+n] = true
			}
		}
	}
	require.True(t, implied["dies-after-commit kills"])
	require.True(t, implied["receipt-not-written receipts"])
	require.True(t, implied["changed-arguments changed"])
	require.True(t, implied["wrong-approval changed"])
	require.False(t, implied["lost-answer kills"])
	require.False(t, implied["two-intents changed"])
}

func FuzzParse(f *testing.F) {
	for _, n := range scenarios.Names() {
		b, err := os.ReadFile(n + ".yaml")
		require.NoError(f, err)
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := scenarios.Parse("s.yaml", b)
		if err != nil {
			var le *located.Error
			require.ErrorAs(t, err, &le)
			return
		}
		require.NotEmpty(t, s.Trials)
	})
}
