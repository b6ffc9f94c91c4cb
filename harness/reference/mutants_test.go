package reference_test

import (
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness/reference"
	"github.com/retrydrill/drill/scenarios"
	"github.com/retrydrill/drill/targets"
)

var caseRE = regexp.MustCompile(`^C\d{2,3}$`)

// TestMutantsAreWhole: each says all that it has to, the classes stand in their order
// and each has one.
func TestMutantsAreWhole(t *testing.T) {
	names, classes := map[string]bool{}, []reference.Class{}
	for _, e := range slices.Concat(reference.Executors, reference.SafeTwins) {
		if e.Careful {
			names[e.Name] = true
		}
	}
	twins := map[string]bool{"": true}
	for name := range names {
		twins[name] = true
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
	require.Len(t, reference.Classes, 19)
	for i, c := range reference.Classes {
		require.Equal(t, c.Class, classes[i])
		require.NotEmpty(t, c.Doc)
	}
	require.GreaterOrEqual(t, len(reference.Mutants), 40)
}
