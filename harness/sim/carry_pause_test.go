package sim_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/worker"
)

// TestPause: the worker stands still with its answer in flight, another gets the delivery
// and ends, and only then the first one goes on, with the answer that it was sent.
func TestPause(t *testing.T) {
	got := map[int]error{}
	at := map[int]time.Time{}
	h := run(t, func(_ context.Context, env worker.Env, job worker.Job, report func(harness.Report)) error {
		got[env.Worker] = post(env)
		at[env.Worker] = env.Clock.Now()
		return done(job, report)
	}, "create#1 response pause past-lease")
	require.Equal(t, map[int]error{1: nil, 2: nil}, got, "the answer was there in time, and is there still")
	require.True(t, at[1].After(at[2]), "the paused one is late")
	require.Len(t, events(h, harness.EvFault), 1, kinds(h))
	require.Len(t, events(h, harness.EvEffect), 2)
	d, ends := events(h, harness.EvDeliver), events(h, harness.EvEnd)
	require.Equal(t, []int{1, 2}, []int{d[0].Worker, d[1].Worker}, "another worker takes over")
	require.Equal(t, []int{2, 1}, []int{ends[0].Worker, ends[1].Worker})
	require.GreaterOrEqual(t, d[1].At-d[0].At, harness.Duration(480*time.Millisecond))
	require.Len(t, d, 2)
	require.Len(t, events(h, harness.EvAck), 2)
}

// TestPauseShort: where the queue hides the delivery for longer than that, nobody takes
// over.
func TestPauseShort(t *testing.T) {
	h := run(t, func(_ context.Context, env worker.Env, job worker.Job, report func(harness.Report)) error {
		if err := post(env); err != nil {
			return err
		}
		return done(job, report)
	}, "create#1 response pause 100ms")
	require.Len(t, events(h, harness.EvFault), 1)
	require.Len(t, events(h, harness.EvDeliver), 1)
	report := events(h, harness.EvReport)
	require.Len(t, report, 1)
	require.Greater(t, report[0].At, harness.Duration(100*time.Millisecond))
}

// TestPauseKilled: one that is ended while it stands still did not go on.
func TestPauseKilled(t *testing.T) {
	h := run(t, func(_ context.Context, env worker.Env, job worker.Job, report func(harness.Report)) error {
		if err := post(env); err != nil {
			return err
		}
		return done(job, report)
	}, "create#1 response pause 30s", "deliver#2 at report#9?")
	require.Equal(t, "killed", events(h, harness.EvEnd)[0].Note, kinds(h))
	require.Empty(t, events(h, harness.EvFault))
}
