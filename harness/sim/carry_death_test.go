package sim_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/worker"
)

// postIn is post that ends with its context.
func postIn(ctx context.Context, env worker.Env) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, env.TargetURL+"/things", strings.NewReader("{}"))
	if err != nil {
		return err
	}
	resp, err := env.HTTP.Do(r)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// TestStopAndCancel: the context of the delivery ends while the worker waits, and the
// answer does not come any more. After a stop the next life gets the delivery again,
// after a cancel the same one.
func TestStopAndCancel(t *testing.T) {
	for _, c := range []struct {
		line    string
		commits int
		lives   []int
	}{
		{"create#1 request stop 5s", 1, []int{1, 2}},
		{"create#1 response stop 5s", 2, []int{1, 2}},
		{"create#1 request cancel", 1, []int{1, 1}},
		{"create#1 response cancel", 2, []int{1, 1}},
	} {
		t.Run(c.line, func(t *testing.T) {
			var got []error
			h := run(t, func(ctx context.Context, env worker.Env, job worker.Job, report func(harness.Report)) error {
				err := postIn(ctx, env)
				if got = append(got, err); err != nil {
					return err
				}
				return done(job, report)
			}, c.line)
			require.Len(t, got, 2, kinds(h))
			require.ErrorIs(t, got[0], context.Canceled)
			require.NoError(t, got[1])
			require.Len(t, events(h, harness.EvFault), 1)
			require.Len(t, events(h, harness.EvLost), 1)
			require.Len(t, events(h, harness.EvEffect), c.commits)
			d := events(h, harness.EvDeliver)
			require.Equal(t, c.lives, []int{d[0].Incarnation, d[1].Incarnation})
			require.Less(t, events(h, harness.EvEnd)[0].At, harness.Duration(time.Second), "nobody waits longer than for its end")
		})
	}
}

// TestStopKills: one that does not end when it is asked to is killed.
func TestStopKills(t *testing.T) {
	var slept error
	h := run(t, func(_ context.Context, env worker.Env, job worker.Job, report func(harness.Report)) error {
		if job.Delivery == 1 {
			err := post(env)
			slept = env.Clock.Sleep(context.Background(), time.Minute)
			return errors.Join(err, slept)
		}
		return done(job, report)
	}, "create#1 response stop 2s")
	require.ErrorIs(t, slept, worker.ErrDead)
	end := events(h, harness.EvEnd)[0]
	require.Equal(t, "killed", end.Note)
	require.GreaterOrEqual(t, end.At, harness.Duration(2*time.Second))
	require.Len(t, events(h, harness.EvFault), 1)
}

// TestKillAfter: the worker hears its answer, and what it does next is not done any more.
func TestKillAfter(t *testing.T) {
	for name, next := range map[string]func(worker.Env, worker.Job, func(harness.Report)) error{
		"its report":  func(_ worker.Env, job worker.Job, report func(harness.Report)) error { return done(job, report) },
		"its request": func(env worker.Env, _ worker.Job, _ func(harness.Report)) error { return post(env) },
		"its write": func(env worker.Env, _ worker.Job, _ func(harness.Report)) error {
			return env.Records.Write(context.Background(), worker.Record{ActionID: "act-A", State: "sent"}, func(worker.RecordOrder) worker.RecordEnd { return worker.RecordWritten })
		},
	} {
		t.Run(name, func(t *testing.T) {
			var got []error
			h := run(t, func(_ context.Context, env worker.Env, job worker.Job, report func(harness.Report)) error {
				if len(got) > 0 {
					return done(job, report)
				}
				got = append(got, post(env))
				return next(env, job, report)
			}, "create#1 response kill-after")
			require.Equal(t, []error{nil}, got)
			require.Len(t, events(h, harness.EvFault), 1, kinds(h))
			require.Equal(t, "killed", events(h, harness.EvEnd)[0].Note)
			require.Len(t, events(h, harness.EvRequest), 1)
			require.Empty(t, events(h, harness.EvRecord))
			report := events(h, harness.EvReport)
			require.Len(t, report, 1)
			require.Equal(t, 2, report[0].Incarnation)
		})
	}
}
