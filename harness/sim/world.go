package sim

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/tap"
	"github.com/retrydrill/drill/harness/worker"
)

// Options say what a world runs with.
type Options struct {
	// Target builds the target of one trial.
	Target func(s harness.Schedule, env tap.TargetEnv) (*tap.Target, error)
	// Builtins are the executors by name.
	Builtins map[string]worker.New
}

// World runs trials; several may run at once. It implements [harness.World].
type World struct {
	o    Options
	pool fibers
}

// New opens a world.
func New(o Options) *World { return &World{o: o} }

// Close ends what the world holds.
func (w *World) Close() error {
	w.pool.close()
	return nil
}

var (
	// ErrExecutor is returned for an executor that can not run here.
	ErrExecutor = errors.New("the sim runs built-in executors alone, without a process, a socket or real time")
	// ErrFault is returned for a fault that this world does not carry out.
	ErrFault = errors.New("is not carried out by this world (sim)")
	// ErrEndless is returned for an executor that goes on after its death.
	ErrEndless = errors.New("the executor goes on although every handle answers that its life has ended")
)

// Start is what every trial's clock shows at its beginning.
var Start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// Unsupported names the lines of the schedule that this world does not carry out.
func Unsupported(s harness.Schedule) []harness.Fault {
	var out []harness.Fault
	for _, f := range s.Faults {
		if !carried[f.Key()] {
			out = append(out, f)
		}
	}
	return out
}

// Runs says why an executor can not run here, or returns nil.
func Runs(x harness.Executor) error {
	if x.Kind != "builtin" {
		return fmt.Errorf("%w: this one is of kind %q; run it in the world wire", ErrExecutor, x.Kind)
	}
	return nil
}

// executor finds what a schedule runs, or says why it can not run here.
func (w *World) executor(x harness.Executor) (worker.New, error) {
	if err := Runs(x); err != nil {
		return nil, err
	}
	start, ok := w.o.Builtins[x.Name]
	if !ok {
		return nil, fmt.Errorf("there is no built-in executor %q", x.Name)
	}
	return start, nil
}

// Run carries out one trial.
func (w *World) Run(ctx context.Context, s harness.Schedule) (*harness.History, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if u := Unsupported(s); len(u) > 0 {
		return nil, fmt.Errorf("fault %q %w", u[0], ErrFault)
	}
	start, err := w.executor(s.Executor)
	if err != nil {
		return nil, err
	}
	t := newTrial(w, &s, start)
	t.target, err = w.o.Target(s, tap.TargetEnv{Token: t.token, Now: t.clock, Sleep: t.targetSleeps, Reuse: true})
	if err != nil {
		return nil, fmt.Errorf("target: %w", err)
	}
	t.open()
	err = errors.Join(t.run(ctx), t.settle(), t.audit(), t.target.Close())
	return &harness.History{Version: harness.HistoryVersion, Schedule: s, Promises: t.target.Promises, Events: t.session.Events()}, err
}
