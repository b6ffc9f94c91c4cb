package main

import (
	"cmp"
	"context"
	"runtime"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/config"
	"github.com/retrydrill/drill/harness/reference"
	"github.com/retrydrill/drill/harness/search"
	"github.com/retrydrill/drill/harness/selftest"
	"github.com/retrydrill/drill/harness/suite"
	"github.com/retrydrill/drill/scenarios"
	"github.com/retrydrill/drill/targets"
)

// measure runs mutants and twins in one world that has every target they need.
func (f *selftestFlags) measure(ctx context.Context, mutants []reference.Mutant, twins []reference.Twin, progress func(done, all int)) (m *selftest.Matrix, err error) {
	at, err := placeOf(f.world)
	if err != nil {
		return nil, err
	}
	profiles, all, err := measuredProfiles(mutants, twins)
	if err != nil {
		return nil, err
	}
	world, err := at.open(&kept{}, all...)
	if err != nil {
		return nil, err
	}
	defer func() { err = worse(err, world.Close()) }()
	simulated, err := placeOf("sim")
	if err != nil {
		return nil, err
	}
	searched, err := simulated.open(&kept{}, all...)
	if err != nil {
		return nil, err
	}
	defer func() { err = worse(err, searched.Close()) }()
	inMemory := f.catalogues(simulated, searched, profiles)
	o := selftest.Options{Mutants: mutants, Twins: twins, Seed: f.seed, World: at.name, Parallel: cmp.Or(f.parallel, atOnce(at)), Always: f.search, Progress: progress}
	o.At = f.catalogues(at, world, profiles)
	f.searches(&o, simulated, inMemory)
	if at.name == "wire" {
		if o, err = fromMemory(ctx, o, inMemory); err != nil {
			return nil, err
		}
	}
	return selftest.Run(ctx, o)
}

// catalogues is the whole catalogue in one world, against each executor at each target.
func (f *selftestFlags) catalogues(at place, in harness.World, profiles map[string]*targets.Profile) func(executor, target string) (suite.Options, error) {
	return func(executor, target string) (suite.Options, error) {
		o, err := f.suite(at, executor, profiles[target])
		o.World = in
		return o, err
	}
}

// searches lets the measurement search without the catalogue, in the same world.
func (f *selftestFlags) searches(o *selftest.Options, at place, catalogues func(executor, target string) (suite.Options, error)) {
	seek := func(executor, target, twin string) (selftest.Seek, error) {
		r, err := catalogues(executor, target)
		if err != nil {
			return selftest.Seek{}, err
		}
		s, err := r.Base()
		so := search.Options{World: r.World, Schedule: s, Promises: r.Promises, Parallel: 1, Carries: carries(at), Refuses: r.Refuses(), Budget: f.budget}
		return selftest.Seek{Options: so, Twin: harness.Executor{Kind: "builtin", Name: twin}}, err
	}
	o.Search = func(ctx context.Context, executor, twin, target, wanted string) (selftest.Found, error) {
		s, err := seek(executor, target, twin)
		if err != nil {
			return selftest.Found{}, err
		}
		s.Wanted = wanted
		return selftest.Search(ctx, s)
	}
	o.Clear = func(ctx context.Context, executor, target string) ([]string, int, error) {
		s, err := seek(executor, target, defaultExecutor)
		if err != nil {
			return nil, 0, err
		}
		s.Options.Budget = 0
		return selftest.Clear(ctx, s)
	}
}

// atOnce is how many executors are run at once where no flag says so.
func atOnce(at place) int {
	n := runtime.GOMAXPROCS(0)
	if at.name == "wire" {
		// Its trials mostly wait.
		n *= waiting
	}
	return n
}

// waiting is how many executors are run by real sockets for one processor.
const waiting = 8

// measuredProfiles are those that mutants and twins are run at.
func measuredProfiles(mutants []reference.Mutant, twins []reference.Twin) (byName map[string]*targets.Profile, all []*targets.Profile, err error) {
	var names []string
	for _, m := range mutants {
		names = append(names, cmp.Or(m.Target, defaultTarget))
	}
	for _, t := range twins {
		names = append(names, t.Targets...)
	}
	byName = map[string]*targets.Profile{}
	for _, name := range names {
		if byName[name] != nil {
			continue
		}
		if byName[name], err = targets.Builtin(name); err != nil {
			return nil, nil, err
		}
		all = append(all, byName[name])
	}
	return byName, all, nil
}

// suite is the whole catalogue against one executor at one target.
func (f *selftestFlags) suite(at place, executor string, p *targets.Profile) (suite.Options, error) {
	r := runFlags{seed: f.seed, parallel: 1, place: at, given: func(string) bool { return false }}
	o, _, err := r.at(p.Name, given{picked: scenarios.All(), config: config.Default(), executor: harness.Executor{Kind: "builtin", Name: executor}})
	o.Dir = ""
	return o, err
}
