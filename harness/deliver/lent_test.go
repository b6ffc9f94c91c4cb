package deliver

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/worker"
)

// TestWhatWorkersAreHanded is theirs to change: no two hand-overs of a trial share it, and
// the next trial's is as the schedule says, in the same room where that is lent.
func TestWhatWorkersAreHanded(t *testing.T) {
	s := noticed(t)
	want := s.Actions[0].Arguments.Clone()
	q := NewQueue(s)
	first := func(lends bool) worker.JobAction {
		q.Reset(s, s.Faults, lends)
		h, _, err := q.Next(0, func(harness.Where) bool { return false })
		require.NoError(t, err)
		a, b := h.Message.Job(1).Actions, h.Message.Job(2).Actions
		for k := range want {
			b[0].Arguments[k] = "changed"
		}
		b[0].ActionID = "changed"
		require.Equal(t, want, a[0].Arguments)
		require.Equal(t, s.Actions[0].ID, a[0].ActionID)
		return a[0]
	}
	before := first(false)
	again := first(true)
	before.Arguments["more"] = "seen in both"
	require.Len(t, again.Arguments, len(want)+1, "it is lent again")
	require.NotContains(t, first(true).Arguments, "more", "it was changed, and is another one now")
	mine := first(false)
	mine.Arguments["more"] = "of nobody else"
	require.NotContains(t, first(false).Arguments, "more")
	require.Equal(t, want, s.Actions[0].Arguments)
}
