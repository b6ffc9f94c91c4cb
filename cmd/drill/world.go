package main

import (
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/retrydrill/drill/fakes"
	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/sim"
	"github.com/retrydrill/drill/harness/tap"
	"github.com/retrydrill/drill/harness/wire"
	"github.com/retrydrill/drill/targets"
)

// place is a world in which trials run.
type place struct {
	name, doc string
	// open opens it, with a fake of the profile that a trial names as its target and
	// receipts kept somewhere.
	open func(*kept, ...*targets.Profile) (harness.World, error)
	// unsupported names the lines of a schedule that it does not carry out.
	unsupported func(harness.Schedule) []harness.Fault
	// runs says why it can not run an executor, or nothing.
	runs func(harness.Executor) error
}

const defaultWorld = "wire"

// places lists the worlds.
var places = []place{
	{"wire", "real sockets, real processes, real time",
		func(k *kept, ps ...*targets.Profile) (harness.World, error) {
			return wire.New(wire.Options{Builtins: builtins(), Target: fakesOf(ps), Receipts: k.dsn, Take: k.take})
		}, wire.Unsupported, func(harness.Executor) error { return nil }},
	{"sim", "in memory, under virtual time, for built-in executors: the same seed gives the same bytes",
		func(_ *kept, ps ...*targets.Profile) (harness.World, error) {
			collectLess()
			return sim.New(sim.Options{Builtins: builtins(), Target: fakesOf(ps)}), nil
		}, sim.Unsupported, sim.Runs},
}

// collectLess lets the heap grow further between two collections, unless GOGC says
// otherwise: in the sim a trial makes much that dies at once, beside a few megabytes
// of profiles that stay and are looked through each time. Half as many trials again
// run in the same time (BenchmarkSimTrial).
func collectLess() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(800)
	}
}

// placeOf finds a world by name.
func placeOf(name string) (place, error) {
	var names []string
	for _, p := range places {
		if p.name == name {
			return p, nil
		}
		names = append(names, p.name)
	}
	return place{}, fmt.Errorf("there is no world %q: expected %s", name, strings.Join(names, " or "))
}

// takes refuses what the world does not carry out.
func (p place) takes(s harness.Schedule) error {
	if err := p.runs(s.Executor); err != nil {
		return err
	}
	if u := p.unsupported(s); len(u) > 0 {
		return fmt.Errorf("fault %q is not yet carried out by this world (%s); drill list faults says which are", u[0], p.name)
	}
	return nil
}

// carriedSomewhere reports whether a world carries out the word of the vocabulary.
func carriedSomewhere(key string) bool {
	return slices.Contains(wire.Carried(), key) || slices.Contains(sim.Carried(), key)
}

// fakesOf makes each trial a fake of its own, of the profile whose digest its schedule
// names.
func fakesOf(ps []*targets.Profile) func(*harness.Schedule, tap.TargetEnv) (*tap.Target, error) {
	makes := make([]func(*harness.Schedule, tap.TargetEnv) (*tap.Target, error), len(ps))
	for i, p := range ps {
		makes[i] = fakes.Of(p)
	}
	return func(s *harness.Schedule, env tap.TargetEnv) (*tap.Target, error) {
		for i, p := range ps {
			if len(ps) == 1 || p.Digest() == s.ProfileDigest {
				return makes[i](s, env)
			}
		}
		return nil, fmt.Errorf("no target has the profile %s (%s)", s.Profile, s.ProfileDigest)
	}
}
