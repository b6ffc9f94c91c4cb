package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/report"
	"github.com/retrydrill/drill/harness/suite"
	"github.com/retrydrill/drill/scenarios"
	"github.com/retrydrill/drill/targets"
)

// lane is the catalogue against one target.
type lane struct {
	suite.Options
	profile *targets.Profile
	// told has each scenario's trials as they come, and is closed at the end. It
	// holds all of them, so that a lane never waits for whoever prints.
	told chan []report.Trial
	// run, took and err are there once told is closed.
	run  *report.Run
	took time.Duration
	err  error
}

func newLane(o suite.Options, p *targets.Profile) *lane {
	return &lane{Options: o, profile: p, told: make(chan []report.Trial, len(o.Scenarios))}
}

func (l *lane) carryOut(ctx context.Context, w harness.World) {
	defer close(l.told)
	start := time.Now()
	l.World = w
	l.run, l.err = suite.Run(ctx, l.Options, func(ts []report.Trial) { l.told <- ts })
	l.took = time.Since(start)
}

// laneWidth is how many trials of one lane are under way where several lanes run side
// by side. Trials mostly wait, so that there are more lanes than processors.
const laneWidth = 4

// sideBySide is how many lanes run at once; --parallel bounds the trials of all.
func (f *runFlags) sideBySide(lanes []*lane) int {
	trials := 2 * laneWidth * runtime.GOMAXPROCS(0)
	if f.parallel > 0 || len(lanes[0].Executor.Command) > 0 {
		trials = lanes[0].Parallel
	}
	return min(len(lanes), max(1, trials/laneWidth))
}

// part leaves in the lanes what --shard names: of all scenarios at all targets, in
// their order, every N-th.
func (f *runFlags) part(lanes []*lane) ([]*lane, *report.Part, error) {
	i, n, err := parseShard(f.shards)
	if n < 2 {
		return lanes, nil, err
	}
	p := &report.Part{Shard: i, Shards: n, Drill: version()}
	var out []*lane
	var what []any
	for _, l := range lanes {
		var mine []scenarios.Scenario
		for _, s := range l.Scenarios {
			what = append(what, s.Name, len(s.Trials))
			if p.Has(p.Units) {
				mine = append(mine, s)
			}
			p.Units++
		}
		p.Targets = append(p.Targets, l.Promises.Profile)
		what = append(what, l.WorldName, l.Executor, l.Profile, l.ProfileDigest, l.Action, l.Limits, l.Seed, l.Blind)
		if len(mine) > 0 {
			l.Scenarios = mine
			out = append(out, newLane(l.Options, l.profile))
		}
	}
	if len(out) == 0 {
		return nil, nil, fmt.Errorf("--shard is %s: the run has only %s", f.shards, amount(p.Units, "scenario", "scenarios"))
	}
	p.Asked = digestOf(what...)
	return out, p, nil
}

func profilesOf(lanes []*lane) (out []*targets.Profile) {
	for _, l := range lanes {
		out = append(out, l.profile)
	}
	return out
}

// runLanes runs lanes, so many side by side, and hands each out in order: first each
// scenario, then the lane. The first that could not do its work ends the others.
func runLanes(ctx context.Context, w harness.World, lanes []*lane, side int, each func(*lane, []report.Trial), whole func(*lane)) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	turn := make(chan struct{}, side)
	var all sync.WaitGroup
	defer all.Wait()
	all.Go(func() {
		for _, l := range lanes {
			turn <- struct{}{}
			if len(lanes) > 1 {
				l.Parallel = min(l.Parallel, laneWidth)
			}
			all.Go(func() {
				defer func() { <-turn }()
				l.carryOut(ctx, w)
			})
		}
	})
	var first error
	for _, l := range lanes {
		for ts := range l.told {
			each(l, ts)
		}
		if l.err != nil && first == nil {
			first = l.err
			if len(lanes) > 1 && !errors.Is(first, context.Canceled) {
				first = fmt.Errorf("target %s: %w", l.Profile, first)
			}
			stop(first)
		}
		whole(l)
	}
	return first
}
