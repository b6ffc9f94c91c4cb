package drilltest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/sim"
	"github.com/retrydrill/drill/harness/tap"
	"github.com/retrydrill/drill/harness/worker"
)

// virtualName is what schedules call the world of bubbles.
const virtualName = "bubble"

// virtual carries out each trial in a testing/synctest bubble of its own: the sim's
// transport, queue and faults, and the executor as goroutines. It implements
// [harness.World].
type virtual struct {
	t     *testing.T
	sim   *sim.World
	state dirs
	// steps counts what trials asked of drill.
	steps atomic.Int64
	// misused is what an executor did to its test.
	misused atomic.Pointer[string]
}

// Bubbles is the world in which [Options.New] runs, for whoever has schedules of their
// own: the executors by name, under virtual time, each trial in a testing/synctest
// bubble of the test. It is [harness.World], and refuses what can not run there.
func Bubbles(t *testing.T, target func(harness.Schedule, tap.TargetEnv) (*tap.Target, error), executors map[string]worker.New) harness.World {
	w := &virtual{t: t, state: dirs{root: t.TempDir()}}
	watched := map[string]worker.New{}
	for name, start := range executors {
		watched[name] = w.watched(start)
	}
	w.sim = sim.New(sim.Options{Target: target, Builtins: watched,
		Bubble: &sim.Bubble{Settle: w.settle, Dir: w.state.take, Left: w.state.left}})
	return w
}

// settle waits until every goroutine of a bubble waits.
func (w *virtual) settle() {
	w.steps.Add(1)
	synctest.Wait()
}

// Close implements [harness.World].
func (w *virtual) Close() error { return w.sim.Close() }

// Reuse takes back a history that nobody reads any more.
func (w *virtual) Reuse(h *harness.History) { w.sim.Reuse(h) }

// patience is how long a trial may take in real time before drill looks at what it
// does: it takes less than a millisecond as a rule.
var patience = 3 * time.Second

// bubbled is one trial in its bubble.
type bubbled struct {
	history *harness.History
	err     error
	over    chan struct{}
}

// Run implements [harness.World].
func (w *virtual) Run(ctx context.Context, s harness.Schedule) (*harness.History, error) {
	b := &bubbled{over: make(chan struct{}), err: errBubble}
	go b.run(ctx, w, s)
	look := time.NewTimer(patience)
	defer look.Stop()
	for before, steps := "", int64(0); ; {
		select {
		case <-b.over:
			return b.history, b.err
		case <-look.C:
			all, done := goroutines(), w.steps.Load()
			now := stands(all, done == steps)
			steps = done
			if now != "" && now == before {
				told.done(all)
				return nil, fmt.Errorf("%w: %s", ErrStands, now)
			}
			before = now
			look.Reset(patience)
		}
	}
}

var (
	// ErrStands is returned where virtual time can not go on.
	ErrStands = errors.New("virtual time stands still (docs/go-test.md, What can not run there)")
	// ErrLeft is returned where goroutines of an executor do not end with it.
	ErrLeft = errors.New("the executor left goroutines behind (docs/go-test.md, What can not run there)")
	// ErrMisused is returned where an executor panics in a method of its test.
	ErrMisused = errors.New("an executor must not call methods of its test, such as t.Parallel: it runs in many trials of one test (docs/go-test.md, What can not run there)")
	// ErrNested is returned where a drill is started inside of a bubble.
	ErrNested = errors.New("drilltest was called inside of a testing/synctest bubble: it makes one for each trial, and they do not nest. Call it from the test itself, or set Options.Wire")

	errBubble = errors.New("the bubble failed its test: -race found a data race, or the executor called a method of its testing.T")
)

func (b *bubbled) run(ctx context.Context, w *virtual, s harness.Schedule) {
	defer close(b.over)
	defer func() {
		if v := recover(); v != nil {
			b.err = errors.Join(brokenBy(v), b.err)
		}
	}()
	var again func()
	synctest.Test(w.t, func(*testing.T) { b.history, again, b.err = w.sim.InBubble(ctx, s) })
	if again != nil {
		again()
	}
	if m := w.misused.Load(); m != nil {
		b.err = errors.Join(fmt.Errorf("%w: %s", ErrMisused, *m), b.err)
	}
}

// watched keeps what package testing complains of, when the executor calls it.
func (w *virtual) watched(start worker.New) worker.New {
	return func(env worker.Env) (worker.Func, func() error, error) {
		run, stop, err := start(env)
		return func(ctx context.Context, env worker.Env, job worker.Job, report func(harness.Report)) error {
			defer func() {
				if v := recover(); v != nil {
					if said := fmt.Sprint(v); strings.HasPrefix(said, "testing: ") {
						w.misused.Store(&said)
					}
					panic(v)
				}
			}()
			return run(ctx, env, job, report)
		}, stop, err
	}
}

// brokenBy says what ended a bubble.
func brokenBy(v any) error {
	err, ok := v.(error)
	switch {
	case !ok && fmt.Sprint(v) == "synctest.Run called from within a synctest bubble":
		return ErrNested
	case ok:
		all := goroutines()
		if left := remain(all); left != "" {
			told.done(all)
			return fmt.Errorf("%w: %s", ErrLeft, left)
		}
		return err
	}
	return fmt.Errorf("the bubble panicked: %v", v)
}
