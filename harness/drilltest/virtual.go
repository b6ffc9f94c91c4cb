package drilltest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
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
func Bubbles(t *testing.T, target func(*harness.Schedule, tap.TargetEnv) (*tap.Target, error), executors map[string]worker.New) harness.World {
	w := &virtual{t: t, state: dirs{root: t.TempDir()}}
	watched := map[string]worker.New{}
	for name, start := range executors {
		watched[name] = w.watched(start)
	}
	w.sim = sim.New(sim.Options{Target: target, Builtins: watched,
		Bubble: &sim.Bubble{Open: w.open, Settle: w.settle, Dir: w.state.take, Left: w.state.left}})
	t.Cleanup(func() { _ = w.Close() })
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

// Run implements [harness.World].
func (w *virtual) Run(ctx context.Context, s harness.Schedule) (*harness.History, error) {
	h, err := w.sim.Run(ctx, s)
	if m := w.misused.Load(); m != nil {
		err = errors.Join(fmt.Errorf("%w: %s", ErrMisused, *m), err)
	}
	return h, err
}

// open has main run in a bubble.
func (w *virtual) open(main func(), over func(error)) {
	go w.bubble(main, w.watch(over))
}

// bubble is a bubble of the test, from its begin to its end.
func (w *virtual) bubble(main func(), x *watch) {
	err := errBubble
	defer func() {
		if v := recover(); v != nil {
			err = brokenBy(v)
		}
		x.end(err)
	}()
	synctest.Test(w.t, func(*testing.T) { main() })
	err = nil
}

// watch looks after a bubble whose time does not go on.
type watch struct {
	w     *virtual
	over  func(error)
	timer *time.Timer

	mu    sync.Mutex
	ended bool
	// before and steps are what it saw when it looked last.
	before string
	steps  int64
}

func (w *virtual) watch(over func(error)) *watch {
	x := &watch{w: w, over: over}
	x.timer = time.AfterFunc(patience, x.look)
	return x
}

// look tells of what keeps time from going on, once it was so twice.
func (x *watch) look() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.ended {
		return
	}
	all, done := goroutines(), x.w.steps.Load()
	now := stands(all, done == x.steps)
	x.steps = done
	if now != "" && now == x.before {
		told.done(all)
		x.ended = true
		x.over(fmt.Errorf("%w: %s", ErrStands, now))
		return
	}
	x.before = now
	x.timer.Reset(patience)
}

// end tells that the bubble has ended.
func (x *watch) end(err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.timer.Stop()
	if !x.ended {
		x.ended = true
		x.over(err)
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
