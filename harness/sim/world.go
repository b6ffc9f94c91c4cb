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
	Target func(s *harness.Schedule, env tap.TargetEnv) (*tap.Target, error)
	// Builtins are the executors by name.
	Builtins map[string]worker.New
	// Bubble is given where workers are goroutines in a bubble; nil has them as
	// coroutines.
	Bubble *Bubble
}

// World runs trials; several may run at once. It implements [harness.World]. Of what a
// trial hands to an executor or to a target nothing is theirs any more once it is over: the
// next trial makes use of it, and of an executor's handles that of the same executor. A
// history is its reader's own until it is given back ([World.Reuse]).
type World struct {
	o    Options
	pool fibers
	kept trials
	// histories are those that nobody reads any more.
	histories histories
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

// unsupported is the first of the trial's lines that this world does not carry out, or
// nil. Most trials have the words of the one before.
func (t *trial) unsupported() *harness.Fault {
	lines := t.session.Lines()
	for i := range lines {
		key := lines[i].WordKey()
		if i < len(t.words) && t.words[i] == key {
			continue
		}
		if !carried[key] {
			return &lines[i]
		}
		t.words = append(t.words[:i], key)
	}
	return nil
}

// runs finds the executor that a schedule names, or says why it can not run here.
func (t *trial) runs(x *harness.Executor) error {
	if err := Runs(*x); err != nil {
		return err
	}
	if t.again = t.start != nil && t.executor == x.Name; t.again {
		return nil
	}
	start, ok := t.world.o.Builtins[x.Name]
	if !ok {
		return fmt.Errorf("there is no built-in executor %q", x.Name)
	}
	t.start, t.executor = start, x.Name
	return nil
}

// Reuse implements [harness.Reuser].
func (w *World) Reuse(h *harness.History) { w.histories.give(h) }

// Run carries out one trial.
func (w *World) Run(ctx context.Context, s harness.Schedule) (*harness.History, error) {
	h := w.histories.take()
	h.Version, h.Schedule = harness.HistoryVersion, s
	if err := h.Schedule.Validate(); err != nil {
		return nil, err
	}
	t := w.kept.take(w)
	if err := t.begin(h); err != nil {
		return nil, err
	}
	err := t.conduct(ctx)
	h.Promises, h.Events, h.Lines = t.target.Promises, t.session.Events(), t.session.Texts(h.Lines[:0])
	t.over()
	err = errors.Join(err, t.target.Close())
	if err == nil {
		// What goes wrong may leave something at work.
		w.kept.give(t)
	}
	return h, err
}

// conduct runs a trial that has begun, and looks at what it left.
func (t *trial) conduct(ctx context.Context) error {
	b := t.bubble
	if b == nil {
		return errors.Join(t.run(ctx), t.settle(), t.audit())
	}
	b.enter()
	err := t.run(ctx)
	if b.broken != nil {
		// What is in there may never end.
		return err
	}
	err = errors.Join(err, t.settle(), t.audit())
	b.leave()
	return err
}
