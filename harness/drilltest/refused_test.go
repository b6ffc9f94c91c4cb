package drilltest_test

import (
	"context"
	"net"
	"os"
	"os/exec"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/drilltest"
	"github.com/retrydrill/drill/harness/worker"
)

// outside was made by no bubble.
var outside = make(chan int)

// does is an executor that does something first, which a bubble does not bear.
func does(first func(env worker.Env, job worker.Job) error) worker.New {
	inner := refunds{key: actionID}
	return func(worker.Env) (worker.Func, func() error, error) {
		return func(ctx context.Context, env worker.Env, job worker.Job, report func(harness.Report)) error {
			if err := first(env, job); err != nil {
				return err
			}
			return inner.deliver(ctx, env, job, report)
		}, func() error { return nil }, nil
	}
}

func waitsForSocket(worker.Env, worker.Job) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	c, err := l.Accept()
	if err != nil {
		return err
	}
	return c.Close()
}

func dials(worker.Env, worker.Job) error {
	c, err := net.Dial("tcp", "127.0.0.1:1")
	if err != nil {
		return err
	}
	return c.Close()
}

func waitsForChild(worker.Env, worker.Job) error {
	c := exec.Command("cat")
	// It ends with this process.
	in, err := c.StdinPipe()
	if err != nil {
		return err
	}
	defer in.Close()
	return c.Run()
}

func waitsOutside(worker.Env, worker.Job) error {
	<-outside
	return nil
}

func computes(worker.Env, worker.Job) error {
	for i := 0; ; i++ {
		_ = i
	}
}

func leavesBehind(worker.Env, worker.Job) error {
	go stays(make(chan int))
	return nil
}

func stays(c chan int) { <-c }

// holdsMutex keeps a lock that all workers share across its request.
type holdsMutex struct{ refunds }

func (x holdsMutex) worker(worker.Env) (worker.Func, func() error, error) {
	return func(ctx context.Context, env worker.Env, job worker.Job, report func(harness.Report)) error {
		mu := env.Memory.Keep("lock", func() any { return &sync.Mutex{} }).(*sync.Mutex)
		mu.Lock()
		defer mu.Unlock()
		return x.deliver(ctx, env, job, report)
	}, func() error { return nil }, nil
}

// TestRefused are what can not run in a bubble; each fails on purpose, in a process of
// its own.
func TestRefused(t *testing.T) {
	if os.Getenv("DRILLTEST_FAIL") == "" {
		t.Skip("fails on purpose; TestRefusals runs it")
	}
	// So long nothing may happen in a trial that has only to wait for a processor.
	*drilltest.Patience = time.Second
	run := func(t *testing.T, start worker.New, scenario string) {
		drilltest.Run(t, drilltest.Options{New: start, Abilities: plain, Scenarios: []string{scenario}, Parallel: 1})
	}
	t.Run("socket", func(t *testing.T) { run(t, does(waitsForSocket), "control") })
	t.Run("dials", func(t *testing.T) { run(t, does(dials), "control") })
	t.Run("child", func(t *testing.T) { run(t, does(waitsForChild), "control") })
	t.Run("outside", func(t *testing.T) { run(t, does(waitsOutside), "control") })
	t.Run("endless", func(t *testing.T) { run(t, does(computes), "control") })
	t.Run("left", func(t *testing.T) { run(t, does(leavesBehind), "control") })
	t.Run("mutex", func(t *testing.T) { run(t, holdsMutex{refunds{key: actionID}}.worker, "two-at-once") })
	t.Run("nested", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			drilltest.Explore(t, drilltest.Options{New: refunds{key: actionID}.worker, Abilities: plain}, drilltest.Space{})
		})
	})
	t.Run("parallel", func(t *testing.T) {
		run(t, does(func(worker.Env, worker.Job) error { t.Parallel(); return nil }), "control")
	})
}

// TestRefusals: what can not run in a bubble is told by name, with what it waits for,
// where, and where to read on.
func TestRefusals(t *testing.T) {
	for name, want := range map[string][]string{
		"socket":   {"virtual time stands still", "waitsForSocket (refused_test.go:", "a real socket", "docs/go-test.md"},
		"dials":    {"no request reached the target", "127.0.0.1:1", "a real socket reaches nothing: use Env.Client(), or Env.Dial", "docs/go-test.md"},
		"child":    {"virtual time stands still", "waitsForChild (refused_test.go:", "child process", "docs/go-test.md"},
		"outside":  {"virtual time stands still", "waitsOutside (refused_test.go:", "a goroutine outside of the bubble", "docs/go-test.md"},
		"endless":  {"virtual time stands still", "computes (refused_test.go:", "without an end"},
		"left":     {"left goroutines behind", "stays (refused_test.go:", "begun by", "leavesBehind", "docs/go-test.md"},
		"mutex":    {"virtual time stands still", "holdsMutex.worker", "a mutex whose holder waits in turn", "docs/go-test.md"},
		"nested":   {"inside of a testing/synctest bubble", "Options.Wire"},
		"parallel": {"an executor must not call methods of its test", "t.Parallel called multiple times", "docs/go-test.md"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := fails(t, t.TempDir(), "^TestRefused$/^"+name+"$")
			for _, w := range want {
				require.Contains(t, out, w)
			}
			require.NotContains(t, out, "panic:")
		})
	}
}
