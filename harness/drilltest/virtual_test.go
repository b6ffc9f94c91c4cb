package drilltest_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/drilltest"
	"github.com/retrydrill/drill/harness/worker"
)

// patientRefunds waits half a minute before it looks up what a lost answer left open.
type patientRefunds struct{ refunds }

func (p patientRefunds) worker(worker.Env) (worker.Func, func() error, error) {
	return func(ctx context.Context, env worker.Env, job worker.Job, report func(harness.Report)) error {
		if job.Delivery > 1 {
			time.Sleep(30 * time.Second)
		}
		return p.deliver(ctx, env, job, report)
	}, func() error { return nil }, nil
}

// TestTimeCostsNothing: half a minute of back-off, in every trial, is over at once.
func TestTimeCostsNothing(t *testing.T) {
	begun := time.Now()
	limits := harness.DefaultLimits()
	limits.Delivery, limits.Trial = harness.Duration(time.Minute), harness.Duration(time.Hour)
	drilltest.Run(t, drilltest.Options{New: patientRefunds{refunds{key: actionID}}.worker, Abilities: plain, Limits: limits,
		Scenarios: []string{"lost-answer", "dies-after-commit"}})
	require.Less(t, time.Since(begun), 30*time.Second, "less than a single one of them")
}

// tracing keeps what the lives of one executor did, in order.
type tracing struct {
	mu   sync.Mutex
	done []string
}

func (x *tracing) add(what string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.done = append(x.done, what)
}

// TestADeathInTheBubble: nothing after the request that it dies at is done, deferred
// calls are, and what was opened is closed.
func TestADeathInTheBubble(t *testing.T) {
	var x tracing
	inner := refunds{key: actionID}
	start := func(worker.Env) (worker.Func, func() error, error) {
		x.add("built")
		return func(ctx context.Context, env worker.Env, job worker.Job, report func(harness.Report)) error {
			defer x.add("deferred")
			err := inner.deliver(ctx, env, job, report)
			x.add("returned")
			return err
		}, func() error { x.add("closed"); return nil }, nil
	}
	drilltest.Run(t, drilltest.Options{New: start, Abilities: plain, Scenarios: []string{"dies-after-commit"}, Parallel: 1})
	all := strings.Join(x.done, " ")
	require.Contains(t, all, "built deferred closed built", "one died: what came after its request was not done")
	require.Equal(t, strings.Count(all, "built"), strings.Count(all, "closed"), all)
}

// TestDeadlinesAreVirtual: the context of a call ends when it says, on the bubble's
// clock, and its caller gets what net/http gives.
func TestDeadlinesAreVirtual(t *testing.T) {
	var took time.Duration
	var got error
	start := func(worker.Env) (worker.Func, func() error, error) {
		return func(ctx context.Context, env worker.Env, job worker.Job, report func(harness.Report)) error {
			begun := time.Now()
			r := refunds{key: actionID}
			out, err := r.send(ctx, env, job.Actions[0])
			if err != nil {
				if errors.Is(err, context.DeadlineExceeded) {
					took, got = time.Since(begun), err
				}
				out, err = r.find(ctx, env, job.Actions[0])
			}
			if err != nil {
				return err
			}
			report(out)
			return nil
		}, func() error { return nil }, nil
	}
	drilltest.Run(t, drilltest.Options{New: start, Abilities: plain, Scenarios: []string{"lost-answer"}, Parallel: 1})
	require.ErrorIs(t, got, context.DeadlineExceeded)
	require.Equal(t, 300*time.Millisecond+time.Microsecond, took, "an event takes a microsecond: here that the call failed")
	var timeout interface{ Timeout() bool }
	require.True(t, errors.As(got, &timeout) && timeout.Timeout())
}
