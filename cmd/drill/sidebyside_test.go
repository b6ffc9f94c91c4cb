package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"testing"

	"go.uber.org/goleak"
	"golang.org/x/sync/semaphore"

	"github.com/retrydrill/drill/harness"
)

// Trials of the wire mostly wait: for deadlines, leases, a process that starts. So
// tests run side by side, more of them than there are processors, and what they have
// under way together is bounded.

// testsAtOnce is how many tests run side by side where -parallel does not say.
const testsAtOnce = 8

// trialsAtOnce is how many trials of the wire they have under way: so many that the
// processors are at work two thirds of the time.
var trialsAtOnce = int64(6 * runtime.GOMAXPROCS(0))

var underWay = semaphore.NewWeighted(trialsAtOnce)

// weights: a command that starts takes a processor for a while, and who runs alone
// has no other trial of these tests beside it.
var (
	light = int64(1)
	heavy = int64(3)
	alone = trialsAtOnce
)

// weightOf is what one trial of the executor counts.
func weightOf(e harness.Executor) int64 {
	if e.Kind == "exec" {
		return heavy
	}
	return light
}

// shared is a world that waits for its turn before each trial.
type shared struct {
	harness.World
	weight int64
}

// Run implements [harness.World].
func (w shared) Run(ctx context.Context, s harness.Schedule) (*harness.History, error) {
	if err := underWay.Acquire(ctx, w.weight); err != nil {
		return nil, err
	}
	defer underWay.Release(w.weight)
	return w.World.Run(ctx, s)
}

// takeTurn waits until a command of a script may start that carries out trials, and
// returns what ends its turn.
func takeTurn(command []string) (done func()) {
	if len(command) < 2 || command[0] != "drill" || !slices.Contains([]string{"run", "explore", "fuzz", "replay", "selftest"}, command[1]) {
		return func() {}
	}
	// It can not fail: this context never ends.
	_ = underWay.Acquire(context.Background(), heavy)
	return func() { underWay.Release(heavy) }
}

// sideBySide runs the tests, and wants nothing of them to go on afterwards.
type sideBySide struct{ *testing.M }

// Run implements testscript.TestingM.
func (m sideBySide) Run() int {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "test.parallel" })
	if !given {
		if err := flag.Set("test.parallel", strconv.Itoa(testsAtOnce)); err != nil {
			panic(err)
		}
	}
	code := m.M.Run()
	if code != 0 {
		return code
	}
	if err := goleak.Find(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}
