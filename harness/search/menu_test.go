package search

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
)

// Every word of the vocabulary is tried, or the reason stands beside it.
func TestMenuCoversTheVocabulary(t *testing.T) {
	tried := map[string]bool{}
	for _, d := range menu {
		tried[d.key] = true
	}
	for _, k := range harness.Vocabulary {
		_, left := NotTried[k.Key()]
		require.NotEqual(t, tried[k.Key()], left, "%s: tried or left, and not both", k.Key())
		delete(tried, k.Key())
	}
	require.Empty(t, tried, "words that are none")
}

// What the menu writes, the parser reads.
func TestMenuWritesLines(t *testing.T) {
	s := space{promises: harness.Promises{Key: harness.KeyPromise{Kept: true, Same: "replay"},
		Errors: []harness.ErrorClass{{Status: 422, Class: harness.RejectedPermanent}}},
		schedule: harness.Schedule{Actions: []harness.Action{{Name: "A", Changed: map[string]any{"/a": 1}}, {Name: "B"}}}}
	lines := 0
	for _, w := range []string{"create#1 request", "create#2@w1 target", "create#1 response", "find#1 request", "find#1 response",
		"deliver#1", "deliver#2", "report#1", "record#2"} {
		where, err := harness.ParseWhere(w)
		require.NoError(t, err)
		for _, f := range s.at(boundary{where: where, changes: where.Point == "create"}) {
			again, err := harness.ParseFault(f.String())
			require.NoError(t, err)
			require.Equal(t, f.String(), again.String())
			lines++
		}
	}
	require.GreaterOrEqual(t, lines, 30)
}
