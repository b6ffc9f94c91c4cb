package search_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/search"
)

// closes is all that the hand-played world carries out.
func closes(f harness.Fault) bool { return f.Name == "close" || f.Name == "respell" }

func options(w *world, depth int) search.Options {
	return search.Options{World: w, Schedule: base(), Promises: promises(), Depth: depth, Carries: closes, Parallel: 2}
}

func explore(t require.TestingT, o search.Options) *search.Result {
	r, err := search.Explore(context.Background(), o)
	require.NoError(t, err)
	return r
}

func linesOf(r *search.Result) [][]string {
	var out [][]string
	for _, f := range r.Findings {
		out = append(out, f.Lines())
	}
	return out
}

func TestFindsTheLostAnswer(t *testing.T) {
	r := explore(t, options(&world{}, 1))
	require.True(t, r.Stable)
	require.Len(t, r.Findings, 2)
	require.Equal(t, []string{"reconcile-first"}, r.Findings[0].Invariants)
	require.Equal(t, []string{"create#1 request close"}, r.Findings[0].Lines())
	require.Equal(t, []string{"one-effect", "reconcile-first"}, r.Findings[1].Invariants)
	require.Equal(t, []string{"create#1 response close"}, r.Findings[1].Lines())
	require.NotNil(t, r.Findings[1].History)
	require.Equal(t, []int{1, 5}, r.ByDepth, "a look-up of several pages, one that shows a copy, two closes and a respelled delivery")
	require.Contains(t, r.Left, search.Left{Fault: "response kill", Why: "this world does not carry it out"})
}

func TestClearsTheCareful(t *testing.T) {
	r := explore(t, options(&world{careful: true}, 2))
	require.Empty(t, r.Findings)
	require.Empty(t, r.Unknown)
	require.Equal(t, 6, r.Boundaries)
	require.Greater(t, r.ByDepth[2], 6, "the look-up after the first fault is struck in its turn")
}

func TestFindsWhatTakesTwo(t *testing.T) {
	r := explore(t, options(&world{careful: true, forgets: true}, 1))
	require.Empty(t, r.Findings)
	r = explore(t, options(&world{careful: true, forgets: true}, 2))
	require.NotEmpty(t, r.Findings)
	for _, f := range r.Findings {
		require.Len(t, f.Lines(), 2)
	}
	require.Contains(t, linesOf(r), []string{"create#1 response close", "find#1 request close"})
}

func TestEndsEarly(t *testing.T) {
	o := options(&world{}, 2)
	o.Parallel, o.First = 1, true
	r := explore(t, o)
	require.NotEmpty(t, r.Findings)
	require.Equal(t, r.Ran, r.ByDepth[0]+r.ByDepth[1])

	o = options(&world{careful: true}, 2)
	o.Budget = 3
	r = explore(t, o)
	require.Equal(t, 3, r.Ran)
	require.Positive(t, r.NotRun)

	ctx, cancel := context.WithCancelCause(context.Background())
	o = options(&world{careful: true}, 2)
	o.Progress = func(p search.Progress) {
		if p.Ran == 2 {
			cancel(errors.New("enough"))
		}
	}
	r, err := search.Explore(ctx, o)
	require.EqualError(t, err, "enough")
	require.GreaterOrEqual(t, r.Ran, 2, "what is known stays")
}

// TestWhatRanIsTold: one schedule that takes longer than there is time hides nothing that
// others showed meanwhile, and the first finding ends a search at once.
func TestWhatRanIsTold(t *testing.T) {
	whole := explore(t, options(&world{}, 1))
	require.NotEmpty(t, whole.Findings)

	ctx, cancel := context.WithCancelCause(t.Context())
	o := options(&world{}, 1)
	o.World, o.Parallel = &stuck{World: o.World, at: "create#1 request close", after: "create#1 response close", enough: func() { cancel(errors.New("enough")) }}, 2
	r, err := search.Explore(ctx, o)
	require.EqualError(t, err, "enough")
	require.GreaterOrEqual(t, r.NotRun, 2)
	require.Equal(t, whole.Ran, r.Ran+r.NotRun)
	require.Equal(t, [][]string{{"create#1 response close"}}, linesOf(r))

	o = options(&world{}, 1)
	o.First, o.Parallel = true, 4
	r, err = search.Explore(t.Context(), o)
	require.NoError(t, err)
	require.Len(t, r.Findings, 1)
	first := r.Ran
	require.Less(t, first, whole.Ran)
	o.Parallel = 1
	require.Equal(t, first, explore(t, o).Ran, "whatever runs side by side")
}

// stuck is a world in which the schedule of one line waits for the end of the context, and
// enough is called when one begins that comes after another line's. Both are told by what
// they are: which of two that run side by side begins first is anybody's guess.
type stuck struct {
	harness.World
	at, after string
	enough    func()
}

func (w *stuck) Run(ctx context.Context, s harness.Schedule) (*harness.History, error) {
	if len(s.Faults) > 0 {
		switch s.Faults[0].String() {
		case w.at:
			<-ctx.Done()
			return nil, context.Cause(ctx)
		case w.after:
		default:
			w.enough()
		}
	}
	return w.World.Run(ctx, s)
}

func TestABaseThatFails(t *testing.T) {
	o := options(&world{}, 1)
	f, err := harness.ParseFault("create#1 response close")
	require.NoError(t, err)
	o.Schedule.Faults = []harness.Fault{f}
	r := explore(t, o)
	require.Equal(t, 1, r.Ran)
	require.Len(t, r.Findings, 1)
	require.Equal(t, []string{"create#1 response close"}, r.Findings[0].Lines(), "the base's own line, and none more")
}

func TestTellsWhatIsNotReproducible(t *testing.T) {
	require.True(t, explore(t, options(&world{careful: true}, 1)).Stable)
	r := explore(t, options(&world{careful: true, moody: func(n int64) bool { return n%2 == 0 }}, 1))
	require.False(t, r.Stable)
	require.Equal(t, "step 2 was request of create#1 in the one and request of find#1 in the other", r.Differs)

	// The two runs without a fault were alike, and those with one began otherwise.
	inOrder := func(moody func(int64) bool) *search.Result {
		o := options(&world{careful: true, moody: moody}, 1)
		o.Parallel = 1
		return explore(t, o)
	}
	r = inOrder(func(n int64) bool { return n > 2 })
	require.False(t, r.Stable)
	require.Equal(t, "step 2 was request of create#1 in the one and request of find#1 in the other", r.Differs)
	r = inOrder(func(n int64) bool { return n > 3 })
	require.False(t, r.Stable)
	require.Equal(t, "before create#1 request close, step 2 was request of create#1 in the one and request of find#1 in the other", r.Differs)
	require.Equal(t, 5, r.ByDepth[1], "all that is known runs")
	// Other contents are told, and leave the answer what it is.
	for _, varies := range []func(int64) bool{func(n int64) bool { return n == 1 }, func(n int64) bool { return n > 2 }} {
		r = explore(t, options(&world{careful: true, varies: varies}, 1))
		require.True(t, r.Stable)
		require.True(t, r.Varies)
		require.Empty(t, r.Differs)
	}
	require.False(t, explore(t, options(&world{careful: true}, 1)).Varies)
	// What is never seen again was not the executor's way.
	for once := int64(3); once < 10; once++ {
		require.True(t, inOrder(func(n int64) bool { return n == once }).Stable, "run %d", once)
	}
}

// TestASlowMachineIsNotTheExecutor: what differs where the machine was slow is run again
// with longer deadlines, and is the executor's only where it stays.
func TestASlowMachineIsNotTheExecutor(t *testing.T) {
	usual := harness.DefaultLimits().ClientDeadline
	for _, c := range []struct {
		name    string
		slow    func(run int64) bool
		times   harness.Duration
		longest harness.Duration
		differs string
	}{
		{"the first run", func(n int64) bool { return n == 1 }, 99, 4 * usual, ""},
		{"the second", func(n int64) bool { return n == 2 }, 99, 4 * usual, ""},
		{"both, and the next two", func(n int64) bool { return n <= 3 }, 99, 16 * usual, ""},
		{"both, alike", func(n int64) bool { return n <= 2 }, 99, 4 * usual, ""},
		{"as long as deadlines are short", func(n int64) bool { return n <= 4 }, 16, 16 * usual, ""},
		{"a run with a fault", func(n int64) bool { return n == 3 }, 99, usual, ""},
		{"both runs with a fault", func(n int64) bool { return n == 3 || n == 4 }, 99, 4 * usual, ""},
		{"each other run, always", func(n int64) bool { return n%2 == 0 }, 99, 16 * usual,
			"step 2 was request of create#1 in the one and request of find#1 in the other"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := &world{careful: true, slow: c.slow, times: c.times}
			o := options(w, 1)
			o.Parallel = 1
			r := explore(t, o)
			require.Equal(t, c.differs, r.Differs)
			require.Equal(t, c.differs == "", r.Stable)
			require.EqualValues(t, c.longest, w.longest.Load())

			w = &world{careful: true, slow: c.slow, times: c.times}
			l, err := search.Repeats(t.Context(), w, base())
			require.NoError(t, err)
			require.Equal(t, c.differs, l.Differs)
		})
	}
	// What differs with nothing late is not run again.
	w := &world{careful: true, moody: func(n int64) bool { return n == 1 }}
	l, err := search.Repeats(t.Context(), w, base())
	require.NoError(t, err)
	require.False(t, l.Stable)
	require.EqualValues(t, 2, w.runs.Load())
	require.EqualValues(t, usual, w.longest.Load())
}

// All parts together are the whole, and no schedule is in two of them.
func TestShardsAreTheWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		whole := explore(t, options(&world{careful: true}, 2))
		n := rapid.IntRange(2, 5).Draw(t, "shards")
		ran := 0
		for i := 1; i <= n; i++ {
			o := options(&world{careful: true}, 2)
			o.All, o.Shard, o.Shards = true, i, n
			part := explore(t, o)
			ran += part.Ran - part.ByDepth[0]
		}
		o := options(&world{careful: true}, 2)
		o.All = true
		require.Equal(t, explore(t, o).Ran-whole.ByDepth[0], ran)
	})
}

// What is pruned hides nothing: each finding is found all the same, and what else there
// is stands behind a schedule that is unsafe already.
func TestPruningHidesNothing(t *testing.T) {
	for _, w := range []*world{{}, {careful: true}, {careful: true, forgets: true}} {
		o := options(w, 3)
		pruned := explore(t, o)
		o.All = true
		all := explore(t, o)
		require.Less(t, pruned.Ran, all.Ran)
		require.Subset(t, linesOf(all), linesOf(pruned))
		for _, f := range all.Findings {
			require.True(t, slices.ContainsFunc(pruned.Findings, func(p search.Finding) bool {
				return len(p.Schedule.Faults) <= len(f.Schedule.Faults) && f.Schedule.Faults[0].Where.Point == p.Schedule.Faults[0].Where.Point
			}), "%v has no smaller one", f.Lines())
		}
	}
}

// The parts of a search, put together in any order, are the search: counts, findings and
// what could not be judged.
func TestPartsAreTheWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := rapid.SampledFrom([]*world{{}, {careful: true}, {careful: true, forgets: true}}).Draw(t, "world")
		depth, n := rapid.IntRange(1, 3).Draw(t, "depth"), rapid.IntRange(2, 5).Draw(t, "shards")
		var parts []*search.Result
		for i := 1; i <= n; i++ {
			o := options(w, depth)
			o.Shard, o.Shards = i, n
			parts = append(parts, written(t, explore(t, o)))
		}
		merged, err := search.Merge(rapid.Permutation(parts).Draw(t, "order"))
		require.NoError(t, err)
		require.Equal(t, written(t, explore(t, options(w, depth))), written(t, merged))
	})
}

// written is a result as it is read again.
func written(t require.TestingT, r *search.Result) *search.Result {
	b, err := json.Marshal(r)
	require.NoError(t, err)
	out := new(search.Result)
	require.NoError(t, json.Unmarshal(b, out))
	return out
}

func TestMergeRefuses(t *testing.T) {
	part := func(i, n int, w *world) *search.Result {
		o := options(w, 1)
		o.Shard, o.Shards = i, n
		return explore(t, o)
	}
	careful := &world{careful: true}
	_, err := search.Merge([]*search.Result{part(1, 2, careful)})
	require.EqualError(t, err, "part 2 of 2 is missing")
	_, err = search.Merge([]*search.Result{part(1, 2, careful), explore(t, options(careful, 1))})
	require.ErrorContains(t, err, "not split")
	other := part(2, 2, careful)
	other.Boundaries++
	_, err = search.Merge([]*search.Result{part(1, 2, careful), other})
	require.EqualError(t, err, "part 1 saw 6 boundaries of the run without a fault, part 2 saw 7: the executor does not do the same in each run")
}
