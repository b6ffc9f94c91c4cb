package reuse

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestASlabHandsTheSameValuesOutAgain(t *testing.T) {
	var s Slab[int]
	var first []*int
	for i := range 3 * perChunk {
		x := s.Next()
		require.Zero(t, *x)
		*x = i
		first = append(first, x)
	}
	for i, x := range first {
		require.Equal(t, i, *x, "a value moved while others came")
	}
	s.Reset()
	for _, x := range first {
		require.Same(t, x, s.Next())
	}
}

// TestATableIsAMap: any order of writes and resets reads as it does in a map.
func TestATableIsAMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var table Table[string, int]
		model := map[string]int{}
		for range rapid.IntRange(0, 60).Draw(t, "steps") {
			key := fmt.Sprint(rapid.IntRange(0, 2*few).Draw(t, "key"))
			switch rapid.IntRange(0, 12).Draw(t, "what") {
			case 0:
				table.Reset()
				clear(model)
			case 1:
				table.Drop(key)
				delete(model, key)
			case 2, 3, 4, 5, 6, 7:
				*table.At(key)++
				model[key]++
			}
			v, known := model[key]
			require.Equal(t, v, table.Get(key))
			require.Equal(t, known, table.Find(key) != nil)
			require.Equal(t, len(model), len(table.Entries))
		}
	})
}

// TestRowsStayWhereTheyAre: what stands in a row does not move or change when more
// comes, and an emptied one is filled anew.
func TestRowsStayWhereTheyAre(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s Rows[int]
		for range 2 {
			s.Reset()
			var at []*int
			for n := range rapid.IntRange(1, 40).Draw(t, "things") {
				if rapid.Bool().Draw(t, "several") {
					several := s.Take(2)
					require.Equal(t, 2, cap(several), "nobody appends into what is another's")
					several[0], several[1] = n, n
					at = append(at, &several[0])
					continue
				}
				at = append(at, s.Put(&n))
			}
			for n, x := range at {
				require.Equal(t, n, *x)
			}
		}
	})
}
