package sim_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/sim"
	"github.com/retrydrill/drill/harness/worker"
)

func post(env worker.Env) error {
	resp, err := env.Client().Post(env.TargetURL+"/things", "application/json", strings.NewReader("{}"))
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// TestTheDeadDoNothing: a killed worker's handles answer that its life has ended. What
// its deferred code says, stores and sends is nobody's; the next life finds what was
// kept before.
func TestTheDeadDoNothing(t *testing.T) {
	var seen []error
	h := run(t, func(ctx context.Context, env worker.Env, job worker.Job, report func(harness.Report)) error {
		kept := env.Memory.Keep("book", func() any { return &[]string{} }).(*[]string)
		if len(*kept) > 0 {
			return done(job, report)
		}
		*kept = append(*kept, "sent")
		err := post(env)
		seen = []error{err, env.Memory.Alive(), env.Clock.Sleep(ctx, time.Hour), post(env)}
		env.Log.Error("from beyond")
		return done(job, report)
	}, "create#1 response kill")
	require.Len(t, seen, 4)
	for i, err := range seen {
		require.ErrorIs(t, err, worker.ErrDead, i)
	}
	require.Len(t, events(h, harness.EvRequest), 1, kinds(h))
	require.Len(t, events(h, harness.EvEffect), 1)
	require.Len(t, events(h, harness.EvReport), 1, "the second life's alone")
	require.Empty(t, events(h, harness.EvLog))
	ends := events(h, harness.EvEnd)
	require.Equal(t, []string{"killed", "returned"}, []string{ends[0].Note, ends[1].Note})
	require.Equal(t, []int{1, 2}, []int{ends[0].Incarnation, ends[1].Incarnation})
	require.Less(t, h.Events[len(h.Events)-1].At.D(), time.Second, "the dead do not wait")
}

// book is kept in a state directory.
type book struct{ text string }

func (b *book) Texts(least int, visit func(string)) {
	if len(b.text) >= least {
		visit(b.text)
	}
}

// TestStateIsSearched: a token in what is kept is a leak.
func TestStateIsSearched(t *testing.T) {
	for _, leaks := range []bool{true, false} {
		h := run(t, func(_ context.Context, env worker.Env, job worker.Job, report func(harness.Report)) error {
			text := "signed with " + env.Token
			if !leaks {
				text = text[:len(text)-1]
			}
			env.Memory.Keep("book", func() any { return &book{text} })
			return done(job, report)
		})
		found := events(h, harness.EvLeak)
		require.Equal(t, leaks, len(found) == 1)
		if leaks {
			require.Equal(t, "a receipt (the state directory)", found[0].Note)
		}
		require.Equal(t, 1, events(h, harness.EvState)[0].N)
	}
}

// TestWhoGoesOnAfterDeath ends the trial with an error that says so.
func TestWhoGoesOnAfterDeath(t *testing.T) {
	_, err := tryRun(t, func(_ context.Context, env worker.Env, _ worker.Job, _ func(harness.Report)) error {
		for {
			_ = post(env)
		}
	}, "create#1 response kill")
	require.ErrorIs(t, err, sim.ErrEndless)
}

// TestWhoNeverLetsTimeMove is ended as one that takes too long.
func TestWhoNeverLetsTimeMove(t *testing.T) {
	h := run(t, func(ctx context.Context, env worker.Env, job worker.Job, report func(harness.Report)) error {
		if job.Delivery > 1 {
			return done(job, report)
		}
		for {
			if err := env.Clock.Sleep(ctx, 0); err != nil {
				return err
			}
		}
	})
	require.Contains(t, kinds(h), "nack it never ended and was killed")
	require.Len(t, events(h, harness.EvAck), 1)
}

// TestTimeIsVirtual: an hour passes at once, and a delivery that takes too long is
// told to give up at its very end.
func TestTimeIsVirtual(t *testing.T) {
	start := time.Now()
	var took time.Duration
	h := run(t, func(ctx context.Context, env worker.Env, job worker.Job, report func(harness.Report)) error {
		if job.Delivery > 1 {
			return done(job, report)
		}
		begun := env.Clock.Now()
		err := env.Clock.Sleep(ctx, time.Hour)
		took = env.Clock.Now().Sub(begun)
		return err
	})
	require.InDelta(t, 10*time.Second, took, float64(time.Millisecond))
	require.Len(t, events(h, harness.EvNack), 1)
	require.Less(t, time.Since(start), 5*time.Second)
}

// TestAPanicEndsTheLife, not the world.
func TestAPanicEndsTheLife(t *testing.T) {
	h := run(t, func(_ context.Context, _ worker.Env, job worker.Job, report func(harness.Report)) error {
		if job.Delivery == 1 {
			panic("ouch")
		}
		return done(job, report)
	})
	require.Equal(t, "panic", events(h, harness.EvEnd)[0].Note)
	require.Len(t, events(h, harness.EvAck), 1)
}

// TestNotStarted: an executor that can not be built is told.
func TestNotStarted(t *testing.T) {
	w := sim.New(sim.Options{Target: shopOf, Builtins: map[string]worker.New{"it": func(worker.Env) (worker.Func, func() error, error) {
		return nil, nil, errors.New("no such luck")
	}}})
	_, err := w.Run(t.Context(), schedule(t, "sim", "it"))
	require.ErrorContains(t, err, "no such luck")
	require.NoError(t, w.Close())
}

// TestInterruption: a context that ends leaves nothing behind.
func TestInterruption(t *testing.T) {
	ctx, stop := context.WithCancelCause(t.Context())
	w := sim.New(sim.Options{Target: shopOf, Builtins: map[string]worker.New{"it": always(
		func(ctx context.Context, env worker.Env, _ worker.Job, _ func(harness.Report)) error {
			stop(errors.New("enough"))
			return env.Clock.Sleep(ctx, time.Second)
		})}})
	_, err := w.Run(ctx, schedule(t, "sim", "it"))
	require.ErrorContains(t, err, "enough")
	require.NoError(t, w.Close())
}

// lookThenAct asks what there is, and then makes one.
func lookThenAct(_ context.Context, env worker.Env, job worker.Job, report func(harness.Report)) error {
	resp, err := env.Client().Get(env.TargetURL + "/things")
	if err != nil {
		return err
	}
	if err := errors.Join(resp.Body.Close(), post(env)); err != nil {
		return err
	}
	return done(job, report)
}

// inOrder tells what the workers did, one after the other.
func inOrder(t *testing.T, s harness.Schedule) (out []string) {
	w := sim.New(sim.Options{Target: shopOf, Builtins: map[string]worker.New{"it": always(lookThenAct)}})
	defer func() { require.NoError(t, w.Close()) }()
	h, err := w.Run(t.Context(), s)
	require.NoError(t, err)
	for _, f := range h.FaultsFired() {
		require.True(t, f.Fired, f.Fault)
	}
	for _, e := range h.Events {
		switch e.Kind {
		case harness.EvRequest:
			out = append(out, fmt.Sprintf("w%d %s", e.Worker, e.Op))
		case harness.EvEffect, harness.EvReport:
			out = append(out, fmt.Sprintf("w%d %s", e.Worker, e.Kind))
		}
	}
	return out
}

// TestInterleaving: two workers go on one after the other at the very events that the
// schedule names, and nowhere else.
func TestInterleaving(t *testing.T) {
	for _, c := range []struct {
		lines []string
		want  []string
	}{
		{[]string{"deliver#2 at create#1 request"},
			[]string{"w1 find", "w1 create", "w2 find", "w2 create", "w2 effect", "w2 report", "w1 effect", "w1 report"}},
		{[]string{"deliver#2 at create#1 request", "create#1@w1 request hold until create#2 request"},
			[]string{"w1 find", "w1 create", "w2 find", "w2 create", "w1 effect", "w1 report", "w2 effect", "w2 report"}},
		{[]string{"deliver#2 at create#1 request", "create#1@w2 request hold until report#1"},
			[]string{"w1 find", "w1 create", "w2 find", "w2 create", "w1 effect", "w1 report", "w2 effect", "w2 report"}},
		{[]string{"deliver#2 at find#1 response", "create#1@w1 target hold until report#1"},
			[]string{"w1 find", "w2 find", "w2 create", "w2 effect", "w2 report", "w1 create", "w1 effect", "w1 report"}},
	} {
		require.Equal(t, c.want, inOrder(t, schedule(t, "sim", "it", c.lines...)), c.lines)
	}
}

// TestRendezvous: those that get one delivery at once all look before any acts, and
// then act in the schedule's order.
func TestRendezvous(t *testing.T) {
	for order, want := range map[string][]string{"forward": {"w1 effect", "w2 effect", "w3 effect"}, "reverse": {"w3 effect", "w2 effect", "w1 effect"}} {
		s := schedule(t, "sim", "it", "deliver#1 times 3")
		s.Order = order
		got := inOrder(t, s)
		for _, line := range got[:3] {
			require.Contains(t, line, "find", got)
		}
		require.Equal(t, want, slices.DeleteFunc(got, func(line string) bool { return !strings.Contains(line, "effect") }))
	}
}

// TestRendezvousIsNoDelay: whose answer is kept back keeps nobody: who waits for its turn
// would arrive when its own client has given up.
func TestRendezvousIsNoDelay(t *testing.T) {
	for _, line := range []string{"create#2 response delay past-deadline", "create#2 response hold until report#1 or past-deadline"} {
		h := run(t, lookThenAct, "deliver#1 times 2", line)
		asked := map[int]harness.Duration{}
		effects := 0
		for _, e := range h.Events {
			switch e.Kind {
			case harness.EvRequest:
				asked[e.Attempt] = e.At
			case harness.EvEffect:
				effects++
				require.Less(t, e.At-asked[e.Attempt], h.Schedule.Limits.ClientDeadline, "%s: attempt %d", line, e.Attempt)
			}
		}
		require.GreaterOrEqual(t, effects, 2, line)
	}
}
