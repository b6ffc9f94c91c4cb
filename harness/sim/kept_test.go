package sim_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/sim"
	"github.com/retrydrill/drill/harness/worker"
)

// TestALifeIsNotAnotherExecutors: what an executor was handed answers that its life has
// ended, once the trial is over and in the trials of others, which get nothing of it.
func TestALifeIsNotAnotherExecutors(t *testing.T) {
	var kept worker.Env
	asked := 0
	w := sim.New(sim.Options{Target: shopOf, Builtins: map[string]worker.New{
		"keeps": always(func(_ context.Context, env worker.Env, job worker.Job, report func(harness.Report)) error {
			kept = env
			return done(job, report)
		}),
		"asks": always(func(ctx context.Context, env worker.Env, job worker.Job, report func(harness.Report)) error {
			asked++
			require.NotSame(t, kept.HTTP, env.HTTP)
			require.NoError(t, env.Memory.Alive())
			require.ErrorIs(t, kept.Memory.Alive(), worker.ErrDead)
			require.ErrorIs(t, kept.Clock.Sleep(ctx, 1), worker.ErrDead)
			require.ErrorIs(t, post(kept), worker.ErrDead)
			return done(job, report)
		})}})
	defer func() { require.NoError(t, w.Close()) }()
	for range 3 {
		for _, name := range []string{"keeps", "asks"} {
			_, err := w.Run(t.Context(), schedule(t, "sim", name))
			require.NoError(t, err)
			require.ErrorIs(t, kept.Memory.Alive(), worker.ErrDead, "after %s", name)
		}
	}
	require.Equal(t, 3, asked)
}

// TestALifeBegins: one that is made in the room of an earlier trial's shows nothing of it,
// whatever its executor did with what it was handed.
func TestALifeBegins(t *testing.T) {
	trials := 0
	w := sim.New(sim.Options{Target: shopOf, Builtins: map[string]worker.New{"it": always(
		func(ctx context.Context, env worker.Env, job worker.Job, report func(harness.Report)) error {
			trials++
			require.NoError(t, ctx.Err())
			require.NoError(t, context.Cause(ctx))
			require.Zero(t, env.HTTP.Timeout)
			require.Equal(t, harness.Arguments{"shelf": "shelf", "thing": "A"}, job.Actions[0].Arguments)
			require.NoError(t, post(env))
			env.HTTP.Timeout, env.HTTP.Transport = 1, nil
			job.Actions[0].Arguments["thing"] = "mine"
			job.Actions[0].ActionID, job.Actions[0].Approval = "mine", harness.Approval{}
			return done(worker.Job{Actions: []worker.JobAction{{ActionID: "act-A"}}}, report)
		})}})
	defer func() { require.NoError(t, w.Close()) }()
	for range 3 {
		h, err := w.Run(t.Context(), schedule(t, "sim", "it"))
		require.NoError(t, err)
		require.Len(t, events(h, harness.EvAck), 1, kinds(h))
		require.Equal(t, 1, events(h, harness.EvRequest)[0].Conn)
	}
	require.Equal(t, 3, trials)
}

// TestTheOtherClock: the time that is put together is the one that is added up.
func TestTheOtherClock(t *testing.T) {
	h := run(t, func(ctx context.Context, env worker.Env, job worker.Job, report func(harness.Report)) error {
		for range 3 {
			now := env.Clock.Now()
			require.Equal(t, sim.Start.Add(now.Sub(sim.Start)), now)
			require.NoError(t, env.Clock.Sleep(ctx, sim.Start.Add(999_999_999).Sub(sim.Start)))
		}
		return done(job, report)
	})
	require.Len(t, events(h, harness.EvAck), 1)
}
