package harness_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
)

// TestKindsAreWords: each kind has a word of its own, by which it is read again, and the
// list has them all.
func TestKindsAreWords(t *testing.T) {
	seen := map[string]bool{}
	for n, k := range harness.EventKinds {
		require.Equal(t, harness.EventKind(n+1), k)
		word, err := k.MarshalText()
		require.NoError(t, err)
		require.NotEmpty(t, word)
		require.False(t, seen[string(word)], "%s is the word of two kinds", word)
		seen[string(word)] = true
		var read harness.EventKind
		require.NoError(t, read.UnmarshalText(word))
		require.Equal(t, k, read)
	}
	require.Equal(t, harness.EvState, harness.EventKinds[len(harness.EventKinds)-1])
	var none harness.EventKind
	require.NoError(t, none.UnmarshalText(nil))
	require.Zero(t, none)
	require.ErrorContains(t, none.UnmarshalText([]byte("nonsense")), "nonsense")
	require.Contains(t, (harness.EvState + 1).String(), "24")
}
