package harness_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/retrydrill/drill/harness"
)

// TestListedAre: a list says of other arguments what the arguments themselves say, also of
// those that differ in one place alone.
func TestListedAre(t *testing.T) {
	leaf := rapid.OneOf(rapid.SampledFrom([]string{"", "a", "b"}).AsAny(), rapid.Int64Range(0, 2).AsAny(), rapid.Bool().AsAny())
	member := rapid.OneOf(leaf, rapid.SliceOfN(leaf, 0, 2).AsAny(),
		rapid.MapOfN(rapid.SampledFrom([]string{"x", "y"}), leaf, 0, 2).AsAny())
	arguments := rapid.MapOfN(rapid.SampledFrom([]string{"a", "b", "c", "d"}), member, 0, 4)
	same := 0
	rapid.Check(t, func(t *rapid.T) {
		a := harness.Arguments(arguments.Draw(t, "some"))
		require.True(t, a.Listed().Are(a.Clone()))
		b := a.Clone()
		if key := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "key"); rapid.Bool().Draw(t, "gone") {
			delete(b, key)
		} else {
			b[key] = member.Draw(t, "other")
		}
		if a.Equal(b) {
			same++
		}
		require.Equal(t, a.Equal(b), a.Listed().Are(b))
		require.Equal(t, a.Equal(b), b.Listed().Are(a))
	})
	require.NotZero(t, same)
}
