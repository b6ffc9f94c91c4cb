package fakes

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestFewAndManyAreFoundAlike: an object is found by looking at each as it is found by
// the index.
func TestFewAndManyAreFoundAlike(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom([]string{"", "a", "b", "c"})
		var plain, indexed store
		indexed.finder = newFinder(nil)
		for range rapid.IntRange(0, few).Draw(t, "objects") {
			o := object{id: text.Draw(t, "id"), op: text.Draw(t, "op"), group: text.Draw(t, "group"), reference: text.Draw(t, "reference"),
				key: text.Draw(t, "key"), rests: rapid.SliceOfN(text, 0, 2).Draw(t, "rests")}
			twin := o
			plain.add(&o)
			indexed.add(&twin)
			if rapid.Bool().Draw(t, "leaves") {
				plain.leave(&o)
				indexed.leave(&twin)
			}
		}
		require.Nil(t, plain.finder)
		names := func(all []*object) (out []string) {
			for _, o := range all {
				out = append(out, fmt.Sprint(*o))
			}
			return out
		}
		for _, a := range []string{"", "a", "b", "c"} {
			require.Equal(t, names(indexed.grouped(a)), names(plain.grouped(a)))
			require.Equal(t, names(indexed.referred(a)), names(plain.referred(a)))
			require.Equal(t, names(indexed.keyed(a)), names(plain.keyed(a)))
			require.Equal(t, names(indexed.rested(a)), names(plain.rested(a)))
			for _, b := range []string{"", "a", "b", "c"} {
				require.Equal(t, indexed.standing(a, b), plain.standing(a, b))
				x, y := indexed.find([]string{"c", a}, b), plain.find([]string{"c", a}, b)
				require.Equal(t, x == nil, y == nil)
				if x != nil {
					require.Equal(t, *x, *y)
				}
			}
		}
		later := newFinder(plain.all)
		for r, n := range indexed.finder.standing {
			require.Equal(t, n, later.standing[r])
		}
		require.Equal(t, len(indexed.finder.byID), len(later.byID))
	})
}
