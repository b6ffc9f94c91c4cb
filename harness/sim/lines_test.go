package sim_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/sim"
	"github.com/retrydrill/drill/harness/worker"
)

// TestAHistoryHasItsLines: the texts beside a history are those of its schedule, also in a
// world that ran another schedule before.
func TestAHistoryHasItsLines(t *testing.T) {
	w := sim.New(sim.Options{Target: shopOf, Builtins: map[string]worker.New{"f": always(func(_ context.Context, env worker.Env, job worker.Job, report func(harness.Report)) error {
		_ = post(env)
		return done(job, report)
	})}})
	defer func() { require.NoError(t, w.Close()) }()
	for _, lines := range [][]string{
		{"create#1 response reset", "deliver#2 after 100ms?"},
		{"create#1 response reset", "deliver#2 after 200ms"},
		{"create#1 request delay 20ms"},
		nil,
		{"create#9 response reset"},
	} {
		h, err := w.Run(t.Context(), schedule(t, "sim", "f", lines...))
		require.NoError(t, err)
		require.Len(t, h.Lines, len(lines))
		for i, line := range lines {
			require.Equal(t, line, h.Lines[i])
			require.True(t, h.IsLine(i, line))
			require.False(t, h.IsLine(i, line+"?"))
		}
		stored := *h
		stored.Lines = nil
		for i, line := range lines {
			require.True(t, stored.IsLine(i, line))
		}
		harness.Reuse(w, h)
	}
}
