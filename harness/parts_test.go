package harness_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
)

func TestWhole(t *testing.T) {
	for _, c := range []struct {
		parts [][2]int
		err   string
	}{
		{[][2]int{{1, 3}, {2, 3}, {3, 3}}, ""},
		{[][2]int{{1, 2}, {2, 2}}, ""},
		{nil, "there is nothing to put together"},
		{[][2]int{{0, 0}}, "what was not split is no part of anything"},
		{[][2]int{{1, 2}, {0, 0}}, "what was not split is no part of anything"},
		{[][2]int{{1, 3}, {2, 4}}, "one was split into 3 parts, another into 4"},
		{[][2]int{{1, 3}, {1, 3}, {3, 3}}, "part 1 of 3 stands there twice"},
		{[][2]int{{2, 3}, {3, 3}}, "part 1 of 3 is missing"},
		{[][2]int{{1, 3}, {3, 3}}, "part 2 of 3 is missing"},
		{[][2]int{{1, 3}, {2, 3}}, "part 3 of 3 is missing"},
	} {
		err := harness.Whole(len(c.parts), func(i int) (int, int) { return c.parts[i][0], c.parts[i][1] })
		if c.err == "" {
			require.NoError(t, err)
		} else {
			require.EqualError(t, err, c.err)
		}
	}
}
