package main

import (
	"bytes"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestFindsTheOrder: of two tests that differ in what orders them, that which nothing does
// fails, and the line is named. At this seed the goroutine is slow and the test beside it
// is not; a pause is so long that a busy machine does not come near it.
func TestFindsTheOrder(t *testing.T) {
	for _, c := range []struct {
		pkg  string
		code int
		want []string
	}{
		{"unordered", 1, []string{"--- FAIL: TestUnordered", "second came first\n", "\nslow: testdata/unordered/unordered_test.go:16\n",
			"again: go run ./internal/shake -first 57 -seeds 1 -slow 200 -pause 3s -times 5 ./testdata/unordered -test.count 1\n", "1 of 1 seeds failed\n"}},
		{"ordered", 0, []string{"0 of 1 seeds failed\n"}},
	} {
		t.Run(c.pkg, func(t *testing.T) {
			t.Parallel()
			var out, told bytes.Buffer
			require.Equal(t, c.code, run([]string{"-first", "57", "-seeds", "1", "-slow", "200", "-pause", "3s", "./testdata/" + c.pkg, "-test.count", "1"}, &out, &told))
			require.Empty(t, told.String())
			for _, want := range c.want {
				require.Contains(t, out.String(), want)
			}
		})
	}
}

func TestCommandLine(t *testing.T) {
	for _, c := range []struct {
		args []string
		code int
		told string
	}{
		{[]string{"-h"}, 0, "usage: go run ./internal/shake"},
		{nil, 2, "no package: expected one"},
		{[]string{"-seeds", "x", "./point"}, 2, `invalid value "x"`},
		{[]string{"./nowhere"}, 2, "shake: go list"},
		{[]string{"../splitmix/../reuse/../../cmd/none"}, 2, "shake: go list"},
	} {
		var out, told bytes.Buffer
		require.Equal(t, c.code, run(c.args, &out, &told), c.args)
		require.Contains(t, told.String(), c.told)
		require.Empty(t, out.String())
	}
}

// TestNarrow: whatever the places are that have to be slow together, they are left.
func TestNarrow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 500).Draw(t, "n")
		var all []int
		for i := range n {
			all = append(all, 2*i)
		}
		guilty := rapid.SliceOfNDistinct(rapid.SampledFrom(all), 1, 2, rapid.ID[int]).Draw(t, "guilty")
		slices.Sort(guilty)
		tried := 0
		got := narrow(all, func(slow []int) bool {
			tried++
			return !slices.ContainsFunc(guilty, func(g int) bool { return !slices.Contains(slow, g) })
		})
		require.Equal(t, guilty, got)
		require.LessOrEqual(t, tried, mostNarrowed)
	})
	require.Empty(t, narrow([]int{1, 2}, func([]int) bool { return true }), "it takes no slow place")
	require.Equal(t, []int{1, 2}, narrow([]int{1, 2}, func([]int) bool { return false }))
}
