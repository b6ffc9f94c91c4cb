// Package suite runs a catalogue: it turns each trial of each scenario into a
// [harness.Schedule], lets a [harness.World] carry it out, has the history judged
// and keeps what failed as a replay file.
//
// The control comes first: the same action twice, no fault. What can not be run
// there can not be judged, and [Run] ends with a [*ControlError].
package suite

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/check"
	"github.com/retrydrill/drill/harness/report"
	"github.com/retrydrill/drill/scenarios"
)

// Template is what every trial's actions are made from.
type Template struct {
	Effect      string
	BusinessKey string
	Arguments   harness.Arguments
	// Changed and Whole are RFC 6901 pointers to the values that a changed action,
	// or one that uses up all there is, has instead.
	Changed map[string]any
	Whole   map[string]any
	// Normal is the normal form of arguments at the target; its zero value leaves them
	// as they are.
	Normal harness.Normal
}

// Options say what is run against what.
type Options struct {
	World harness.World
	// WorldName is wire or sim.
	WorldName string
	Executor  harness.Executor
	Promises  harness.Promises
	// Profile is what the profile is loaded by, where that is not its name: a file.
	Profile       string
	ProfileDigest string
	Action        Template
	Limits        harness.Limits
	Scenarios     []scenarios.Scenario
	// Seed is the one source of everything that is drawn.
	Seed uint64
	// Parallel is how many trials run at once; below 1 is 1.
	Parallel int
	// Dir is where the schedules of unsafe trials are kept; empty keeps none.
	Dir string
	// Histories is where the histories of trials are kept that are neither safe nor
	// skipped; empty keeps none.
	Histories string
	// Blind shows the workers no worker or delivery number.
	Blind bool
	// Calibrate lets the control scale the limits, where it shows that the machine is
	// too slow for them. It is for limits that nobody declared.
	Calibrate bool

	// calibrated is the caveat that goes with scaled limits.
	calibrated string
}

// ErrWorld is returned when a world could not carry out a trial.
var ErrWorld = errors.New("a trial could not be carried out")

// Run carries out the catalogue. each, if not nil, gets the trials of one
// scenario after the other, in the catalogue's order, as soon as they are known.
//
// The run comes with every error: it holds what was known by then. The error is
// the context's when that ended, a [*ControlError] when the control showed that
// the worker can not be judged, or wraps [ErrWorld].
func Run(ctx context.Context, o Options, each func([]report.Trial)) (*report.Run, error) {
	out := &report.Run{Schema: report.Schema, Seed: o.Seed}
	s, err := Open(ctx, o)
	if err != nil {
		return out, err
	}
	return out, s.Run(ctx, o.Scenarios, func(ts []report.Trial) {
		for _, t := range ts {
			out.Add(t)
		}
		if each != nil && len(ts) > 0 {
			each(ts)
		}
	})
}

// Session is an executor that passed the control.
type Session struct {
	o     Options
	shown map[string]bool
	kept  map[uint64]*carried
}

// Open runs the control. Its errors are those of [Run].
func Open(ctx context.Context, o Options) (*Session, error) {
	shown, kept, err := o.control(ctx)
	if err != nil {
		return nil, err
	}
	if n := harness.Patience[0]; o.Calibrate && tooSlow(kept) {
		o.Limits = o.Limits.Scaled(n)
		if shown, kept, err = o.control(ctx); err != nil {
			return nil, err
		}
		o.calibrated = longerFrom(n)
	}
	return &Session{o: o, shown: shown, kept: kept}, nil
}

// Run carries out some scenarios; see [Run].
func (s *Session) Run(ctx context.Context, picked []scenarios.Scenario, each func([]report.Trial)) error {
	o := s.o
	o.Scenarios = picked
	plans, err := o.plans(s.shown)
	if err != nil {
		return err
	}
	return o.runAll(ctx, plans, s.kept, each)
}

// result is what a plan came to; done is closed once it is there.
type result struct {
	trial report.Trial
	known bool
	done  chan struct{}
}

// runAll runs the plans side by side and hands out whole scenarios in order.
func (o Options) runAll(ctx context.Context, plans [][]plan, kept map[uint64]*carried, each func([]report.Trial)) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	results := make([][]result, len(plans))
	type job struct{ i, j int }
	jobs := make(chan job)
	for i := range plans {
		results[i] = make([]result, len(plans[i]))
		for j := range results[i] {
			results[i][j].done = make(chan struct{})
		}
	}
	var workers sync.WaitGroup
	for range max(1, o.Parallel) {
		workers.Go(func() {
			for at := range jobs {
				r := &results[at.i][at.j]
				t, err := o.one(ctx, plans[at.i][at.j], kept)
				if err != nil {
					stop(err)
				}
				// A trial that was judged is known, also where it could not be kept.
				r.trial, r.known = t, t.Verdict != ""
				close(r.done)
			}
		})
	}
	go func() {
		defer close(jobs)
		for i := range plans {
			for j := range plans[i] {
				jobs <- job{i, j}
			}
		}
	}()
	for i := range results {
		var known []report.Trial
		for j := range results[i] {
			<-results[i][j].done
			if results[i][j].known {
				known = append(known, results[i][j].trial)
			}
		}
		each(known)
	}
	workers.Wait()
	return context.Cause(ctx)
}

// one carries out and judges one plan.
func (o Options) one(ctx context.Context, p plan, kept map[uint64]*carried) (report.Trial, error) {
	t := report.Trial{ID: p.id(), Scenario: p.scenario, World: o.WorldName, Executor: ExecutorName(o.Executor), Target: o.Promises.Profile}
	if p.skip != "" {
		return t.Skip(p.skip), nil
	}
	c := kept[p.schedule.Seed]
	if c == nil {
		var err error
		if c, err = o.carry(ctx, p.schedule); err != nil {
			return t, fmt.Errorf("%s: %w", p.id(), err)
		}
	}
	start := time.Now()
	h, j, err := settle(ctx, o.World, c.history, check.Judge)
	if cause := context.Cause(ctx); cause != nil && h != c.history {
		return t, fmt.Errorf("%s: %w", p.id(), cause)
	}
	if err != nil {
		return t, fmt.Errorf("%s: %w: %w", p.id(), ErrWorld, err)
	}
	if j.Verdict == harness.Inconclusive && reconnected(h) {
		return t.Skip(unmetWarm), nil
	}
	if o.calibrated != "" {
		j.Caveats = append([]string{o.calibrated}, j.Caveats...)
	}
	t = t.Judged(h, j)
	t.Took = c.took + time.Since(start)
	if t.Verdict == harness.Unsafe && o.Dir != "" {
		path, err := Keep(o.Dir, h.Schedule)
		if err != nil {
			return t, err
		}
		t.Replay = path
	}
	if t.Verdict != harness.Safe && o.Histories != "" {
		path, err := keepHistory(o.Histories, h)
		if err != nil {
			return t, err
		}
		t.Kept = path
	}
	return t, nil
}

// carried is a trial that was carried out.
type carried struct {
	history *harness.History
	took    time.Duration
}

// carry asks the world. A context that ended is reported as such: the history of
// a trial that was cut short says nothing.
func (o Options) carry(ctx context.Context, s harness.Schedule) (*carried, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	start := time.Now()
	h, err := o.World.Run(ctx, s)
	if cause := context.Cause(ctx); cause != nil {
		return nil, cause
	}
	if err != nil {
		return &carried{h, time.Since(start)}, fmt.Errorf("%w: %w", ErrWorld, err)
	}
	return &carried{h, time.Since(start)}, nil
}

// ExecutorName is how a report calls an executor.
func ExecutorName(e harness.Executor) string {
	if len(e.Command) > 0 {
		return joinWords(e.Command)
	}
	return e.Name
}
