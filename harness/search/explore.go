package search

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/check"
)

// Options say what is searched, and how far.
type Options struct {
	World harness.World
	// Schedule is the fault-free run: executor, profile, actions, limits, seed.
	Schedule harness.Schedule
	Promises harness.Promises
	// Depth is how many faults a schedule has at most; below 1 is 1.
	Depth int
	// Workers is 1, 2 to interleave two workers at boundaries, or 3 to let three begin
	// at once, too.
	Workers int
	// Near puts a second fault only at operations to which the first one led, and which
	// the run without a fault never comes to.
	Near bool
	// Budget bounds the schedules that are run; 0 is no bound.
	Budget int
	// Deliveries is how many hand-overs a schedule is given where those of its limit are
	// used up, at most; 0 is 40.
	Deliveries int
	// Parallel is how many run at once; below 1 is 1.
	Parallel int
	// First ends the search at the first finding, Enough at the first that it accepts;
	// nil accepts none.
	First  bool
	Enough func(Finding) bool
	// All runs what would be pruned, too; Twin is told of each schedule that is pruned
	// since another one can not end otherwise, and of that one. It may be nil.
	All  bool
	Twin func(pruned, like harness.Schedule)
	// Shard of Shards: a deterministic part of the space, from 1; 0 is all of it.
	Shard, Shards int
	// Carries reports whether the world carries a line out; nil: it carries all.
	Carries func(harness.Fault) bool
	// Refuses gives the reason for which a line is not tried at this executor and
	// target, or nothing; nil refuses none.
	Refuses func(harness.Fault) string
	// Second is another opinion on each judged history, which it does not hold on to:
	// where it disagrees, that schedule is a doubt. It may be nil.
	Second func(*harness.History, check.Judgement) string
	// Progress is told after each schedule; nil is told nothing.
	Progress func(Progress)
}

// Progress is how far a search is.
type Progress struct {
	// Ran of Known schedules; Known grows while the search goes on.
	Ran, Known int
	Findings   int
}

// node is one schedule that was run.
type node struct {
	root   root
	faults []harness.Fault
	// at is its place in the whole space: the same in every shard.
	at []int
	// before are the boundaries that its parent had, too.
	before []boundary
	// run is what came of it.
	run outcome
}

// outcome is what is kept of a run.
type outcome struct {
	judged check.Judgement
	// deliveries is how many hand-overs it took, where that was more than the limit.
	deliveries int
	// fired: every line struck.
	fired bool
	// late: a request was held until its sender gave up, at a target where nobody could
	// call it back.
	late bool
	// onward are the boundaries behind the last fault.
	onward []boundary
	// steps are what could be seen of the run without a fault.
	steps []act
	// like is how it was to that run before its fault struck.
	like Likeness
	// dissent is what a second opinion says against the verdict.
	dissent string
	// history is kept of what is unsafe.
	history *harness.History
}

// Explore searches the space. The result comes with every error: it holds what was
// known by then. The error is the context's when that ended.
func Explore(ctx context.Context, o Options) (*Result, error) {
	o.Depth, o.Workers, o.Parallel, o.Deliveries = max(1, o.Depth), max(1, o.Workers), max(1, o.Parallel), cmp.Or(o.Deliveries, mostDeliveries)
	e := &explorer{Options: o, space: space{promises: o.Promises, schedule: o.Schedule}, out: newResult(o)}
	defer e.out.sort()
	base, err := e.base(ctx)
	if err != nil {
		return e.out, err
	}
	if base.run.judged.Verdict != harness.Safe {
		// What it does wrong needs no fault.
		e.out.judge(base, 0)
		return e.out, nil
	}
	for depth, level := 0, e.roots(base); len(level) > 0; depth++ {
		ran, err := e.level(ctx, level, depth)
		if err != nil || e.enough() {
			e.out.NotRun += len(level) - len(ran)
			return e.out, err
		}
		if depth == o.Depth {
			break
		}
		level = e.next(ran, depth)
	}
	return e.out, nil
}

type explorer struct {
	Options
	space space
	// usual are the operations of the run without a fault, plain its steps; none where it
	// was not the same twice.
	usual []string
	plain []act
	out   *Result
}

func (e *explorer) enough() bool {
	return e.First && len(e.out.Findings) > 0 || e.Enough != nil && slices.ContainsFunc(e.out.Findings, e.Enough) ||
		e.Budget > 0 && e.out.Ran >= e.Budget
}

// base runs what has no fault, twice: what differs there is not reproducible. Where the
// machine was slow in one of them, both are run again with longer deadlines, which only
// these have.
func (e *explorer) base(ctx context.Context) (node, error) {
	n := node{at: []int{0}}
	limits := e.Schedule.Limits
	err := patiently(limits, func(limits harness.Limits) (slow bool, err error) {
		e.Schedule.Limits = limits
		if n.run, err = e.carry(ctx, n); err != nil {
			return false, err
		}
		again, err := e.carry(ctx, n)
		e.out.Likeness = compare(n.run.steps, again.steps)
		return n.run.judged.Late > 0 || again.judged.Late > 0, err
	})
	e.Schedule.Limits = limits
	if err != nil {
		return n, err
	}
	if e.out.Stable {
		e.plain = n.run.steps
	}
	e.out.Boundaries = len(n.run.onward)
	for _, b := range n.run.onward {
		e.usual = append(e.usual, b.where.Point)
	}
	return n, nil
}

func (e *explorer) schedule(n node) harness.Schedule { return scheduleOf(e.Schedule, n) }

func scheduleOf(base harness.Schedule, n node) harness.Schedule {
	s := base
	s.Order = n.root.order
	if n.run.deliveries > 0 {
		s.Limits.Deliveries = n.run.deliveries
	}
	if n.root.condition != "" {
		s.Settings = n.root.settings
	}
	s.Faults = slices.Concat(base.Faults, n.root.lines, n.faults)
	return s
}

func (e *explorer) carry(ctx context.Context, n node) (outcome, error) {
	if err := context.Cause(ctx); err != nil {
		return outcome{}, err
	}
	s := e.schedule(n)
	h, j, deliveries, err := through(ctx, e.World, s, e.Deliveries)
	if cause := context.Cause(ctx); cause != nil {
		return outcome{}, cause
	}
	if err != nil {
		return outcome{}, fmt.Errorf("schedule %q: %w", strings.Join(n.words(), "; "), err)
	}
	out := observe(h, j, n)
	out.deliveries = deliveries
	if len(n.at) == 1 && len(n.words()) == 0 {
		out.steps = stepsOf(h, 0)
	}
	if out.like, err = e.strays(ctx, h, n); err != nil {
		return outcome{}, err
	}
	if e.Second != nil {
		out.dissent = e.Second(h, out.judged)
	}
	if out.history == nil {
		harness.Reuse(e.World, h)
	}
	return out, nil
}

// observe keeps what the search goes on from.
func observe(h *harness.History, j check.Judgement, n node) outcome {
	out := outcome{judged: j, fired: true, late: ArrivesLate(h)}
	for i := range h.Schedule.Faults {
		f := &h.Schedule.Faults[i]
		out.fired = out.fired && (f.Optional || h.Fired(f))
	}
	if out.judged.Verdict == harness.Unsafe {
		out.history = h
	}
	after := 0
	for _, f := range n.faults {
		if f.Where.Point != harness.AtEvent {
			after = max(after, struckAt(h, f))
		}
	}
	out.onward = boundaries(h, after)
	return out
}

// ArrivesLate reports whether a held request went on when its sender had given up: what
// it was held for never came, or came after the sender went on without the answer.
// Late arrival is tried only where the profile makes a repeat harmless, and the target did
// not forget its keys meanwhile; elsewhere it is for no executor to prevent.
func ArrivesLate(h *harness.History) bool {
	harmless := h.Promises.OffersCopies()
	if harmless && (h.Promises.ClientIDs || h.Promises.UniqueNames || !h.Schedule.Has("target restart")) {
		return false
	}
	for i := range h.Events {
		e := &h.Events[i]
		if e.Kind != harness.EvHold {
			continue
		}
		// A rendezvous has no fault: it holds until the others are there, who may stand still.
		if f, err := harness.ParseFault(e.Fault); e.Fault != "" && (err != nil || !f.Is("request hold") && !f.Is("target hold")) {
			continue
		}
		before := h.Events[:i]
		k := requestOf(before, e.Attempt)
		if k >= 0 && before[k].Changes && (!harmless || forgot(before[k:])) && (e.Note != "met" || wentOn(before[k:])) {
			return true
		}
	}
	return false
}

// requestOf is where a request arrived first, or -1.
func requestOf(events []harness.Event, attempt int) int {
	for i := range events {
		if e := &events[i]; e.Kind == harness.EvRequest && e.Attempt == attempt {
			return i
		}
	}
	return -1
}

// forgot reports whether the target forgot its keys.
func forgot(events []harness.Event) bool {
	return slices.ContainsFunc(events, func(e harness.Event) bool {
		f, err := harness.ParseFault(e.Fault)
		return e.Kind == harness.EvFault && err == nil && f.Is("target restart")
	})
}

// wentOn reports whether the life of the first event, which sent a request, did
// something else after it, or ended.
func wentOn(events []harness.Event) bool {
	sent := &events[0]
	for i := range events[1:] {
		e := &events[1+i]
		if e.Worker != sent.Worker || e.Incarnation != sent.Incarnation {
			continue
		}
		switch e.Kind {
		case harness.EvHeard, harness.EvRecord, harness.EvRequest, harness.EvReport, harness.EvEnd:
			return true
		}
	}
	return false
}

// words are what a schedule says beside the plain run: its condition and its lines.
func (n node) words() []string {
	out := harness.Lines(slices.Concat(n.root.lines, n.faults))
	if n.root.condition != "" {
		out = append([]string{n.root.condition}, out...)
	}
	return out
}
