package reference_test

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness/reference"
	"github.com/retrydrill/drill/scenarios"
	"github.com/retrydrill/drill/targets"
)

var reportRE = regexp.MustCompile(`^[A-Za-z0-9-]+/[A-Za-z0-9._-]+#\d+$`)

var caseRE = regexp.MustCompile(`^C\d{2,3}$`)

// TestMutantsAreWhole: each says all that it has to, the classes stand in their order
// and each has one.
func TestMutantsAreWhole(t *testing.T) {
	names, classes := map[string]bool{}, []reference.Class{}
	twins := map[string]bool{"": true}
	for _, e := range reference.Executors {
		if e.Careful {
			names[e.Name], twins[e.Name] = true, true
		}
	}
	for _, s := range reference.SafeTwins {
		require.False(t, names[s.Name], "%s is listed twice", s.Name)
		names[s.Name], twins[s.Name] = true, true
	}
	for _, m := range reference.Mutants {
		require.False(t, names[m.Name], "%s is listed twice", m.Name)
		names[m.Name] = true
		require.NotEmpty(t, m.Doc, m.Name)
		require.Regexp(t, caseRE, m.Case, m.Name)
		require.True(t, twins[m.Twin], "%s: the twin %s is no careful executor", m.Name, m.Twin)
		require.NotEqual(t, m.New == nil, m.NotShown == "", "%s is run, or says why not", m.Name)
		require.Contains(t, scenarios.Names(), m.Scenario, m.Name)
		if m.Target != "" {
			require.Contains(t, targets.Names(), m.Target, m.Name)
		}
		if !slices.Contains(classes, m.Class) {
			classes = append(classes, m.Class)
		}
		require.Equal(t, classes[len(classes)-1], m.Class, "%s stands apart from its class", m.Name)
	}
	pairs := map[string]string{}
	for _, m := range reference.Mutants {
		if m.FixOf != "" {
			require.True(t, names[m.FixOf] && m.FixOf != m.Name, "%s is said to fix %q", m.Name, m.FixOf)
			pairs[m.Name] = m.FixOf
		}
	}
	for _, name := range []string{"claim-before-send", "release-key-on-unknown", "adopt-by-name", "undo-on-unknown", "store-500", "rescue-by-id",
		"wrapped-error-class", "body-not-rewound", "counter-reset-on-reconnect", "approval-by-call-id", "batch-resume",
		"message-id-reuse-inside-the-window", "self-conflict-as-failure"} {
		require.Contains(t, pairs, name, "it is the naive fix of another fault")
	}
	require.Len(t, reference.Classes, 19)
	for i, c := range reference.Classes {
		require.Equal(t, c.Class, classes[i])
		require.NotEmpty(t, c.Doc)
	}
	require.GreaterOrEqual(t, len(reference.Mutants), 40)
}

// TestEachCaseHasAStandIn: for every public report there are a mutant or a scenario, by
// names that exist, or the reason why not; and no mutant names a report that is not
// listed.
func TestEachCaseHasAStandIn(t *testing.T) {
	known := map[string]bool{}
	for _, m := range reference.Mutants {
		known[m.Name] = true
	}
	for _, s := range scenarios.Names() {
		known[s] = true
	}
	classes := map[reference.Class]bool{}
	for _, c := range reference.Classes {
		classes[c.Class] = true
	}
	listed, last := map[string]bool{}, 0
	for _, c := range reference.Cases {
		listed[c.ID] = true
		n, err := strconv.Atoi(strings.TrimPrefix(c.ID, "C"))
		require.NoError(t, err)
		require.Greater(t, n, last, "%s is in its order", c.ID)
		last = n
		require.Regexp(t, reportRE, c.Report, c.ID)
		require.NotEmpty(t, c.What, c.ID)
		require.Equal(t, len(c.StandIns()) == 0, c.Why != "", "%s has a stand-in, or says why not", c.ID)
		for _, name := range c.StandIns() {
			require.True(t, known[name], "%s: %s is neither mutant nor scenario", c.ID, name)
		}
		require.True(t, classes[c.Class], c.ID)
	}
	require.Len(t, reference.Cases, 76)
	for _, m := range reference.Mutants {
		require.True(t, listed[m.Case], "%s stands for %s", m.Name, m.Case)
	}
}

// TestTwinsAreWhole: each says what it is like and where it is safe, and a mutant that
// has it as its twin is one of those, at one of these targets.
func TestTwinsAreWhole(t *testing.T) {
	byName := map[string]reference.Mutant{}
	for _, m := range reference.Mutants {
		byName[m.Name] = m
	}
	require.GreaterOrEqual(t, len(reference.SafeTwins), 10)
	for _, s := range reference.SafeTwins {
		require.True(t, s.Careful && s.Doc != "" && s.New != nil, s.Name)
		require.NotEmpty(t, s.Targets, s.Name)
		for _, target := range s.Targets {
			require.Contains(t, targets.Names(), target, s.Name)
		}
		require.NotEmpty(t, s.Like, s.Name)
		for _, name := range s.Like {
			require.Contains(t, byName, name, s.Name)
		}
		for _, m := range reference.Mutants {
			if m.Twin == s.Name {
				require.Contains(t, s.Like, m.Name, s.Name)
				require.Contains(t, s.Targets, cmp.Or(m.Target, "stripe-v1"), "%s is the twin of %s", s.Name, m.Name)
			}
		}
	}
}
