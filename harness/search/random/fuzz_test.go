package random_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/search/random"
)

// needing is a world in which no action ends in fewer hand-overs than so many.
type needing int

func (n needing) Run(_ context.Context, s harness.Schedule) (*harness.History, error) {
	h := &harness.History{Version: harness.HistoryVersion, Schedule: s}
	if s.Limits.Deliveries < int(n) {
		h.Events = []harness.Event{{Seq: 1, Kind: harness.EvBound, Note: "deliveries"}}
	}
	return h, nil
}

func (needing) Close() error { return nil }

// Hand-overs that the faults of a plan use up are given again: that they are too few says
// nothing of the executor. Where more do not help, that is told.
func TestHandOversAreGivenAgain(t *testing.T) {
	for needed, unknown := range map[needing]int{5: 0, 20: 0, 1000: 3} {
		r, err := random.Fuzz(t.Context(), random.Options{Space: space(), World: needed, Checks: 3})
		require.NoError(t, err)
		require.Len(t, r.Unknown, unknown, "needed %d", needed)
	}
}

// stuck is a world in which the first plan waits for the end of the context, which comes
// with the fifth.
type stuck struct {
	needing
	enough func()
	ran    atomic.Int64
}

func (w *stuck) Run(ctx context.Context, s harness.Schedule) (*harness.History, error) {
	// Two runs without a fault come before.
	switch w.ran.Add(1) - 2 {
	case 1:
		<-ctx.Done()
		return nil, context.Cause(ctx)
	case 5:
		w.enough()
	}
	return w.needing.Run(ctx, s)
}

// One plan that takes longer than there is time hides nothing that others showed.
func TestWhatRanIsTold(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	w := &stuck{enough: func() { cancel(errors.New("enough")) }}
	r, err := random.Fuzz(ctx, random.Options{Space: space(), World: w, Parallel: 2, Checks: 30})
	require.EqualError(t, err, "enough")
	require.Equal(t, 3, r.Checks)
}

// moody is a world in which every other run begins otherwise.
type moody struct {
	needing
	runs atomic.Int64
}

func (w *moody) Run(ctx context.Context, s harness.Schedule) (*harness.History, error) {
	h, err := w.needing.Run(ctx, s)
	h.Events = append(h.Events, harness.Event{Seq: 1, Kind: harness.EvRequest, Op: "create", N: 1 + int(w.runs.Add(1)%2)})
	return h, err
}

// What does not do the same twice is told, and so is what was not tried.
func TestFuzzTellsWhatIsNotReproducible(t *testing.T) {
	r, err := random.Fuzz(t.Context(), random.Options{Space: space(), World: needing(0), Checks: 1})
	require.NoError(t, err)
	require.True(t, r.Stable)
	r, err = random.Fuzz(t.Context(), random.Options{Space: space(), World: &moody{}, Checks: 1})
	require.NoError(t, err)
	require.False(t, r.Stable)
	require.Equal(t, "step 1 was request of create#2 in the one and request of create#1 in the other", r.Differs)

	one, other := random.Result{Shard: 1, Shards: 2}, random.Result{Shard: 2, Shards: 2}
	one.Stable, other.Differs = true, "x"
	merged, err := random.Merge([]*random.Result{&one, &other})
	require.NoError(t, err)
	require.False(t, merged.Stable)
	require.Equal(t, "x", merged.Differs)
	other.Stable, other.Differs = true, ""
	merged, err = random.Merge([]*random.Result{&one, &other})
	require.NoError(t, err)
	require.True(t, merged.Stable)
}
