package main

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/shell"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/config"
	"github.com/retrydrill/drill/harness/suite"
	"github.com/retrydrill/drill/scenarios"
	"github.com/retrydrill/drill/targets"
)

const (
	defaultTarget   = "stripe-v1"
	defaultExecutor = "reference"
)

// checkParallel refuses a number of trials that is none; without the flag 0 is the default.
func checkParallel(given func(string) bool, n int) error {
	if n < 1 && given("parallel") {
		return fmt.Errorf("--parallel is %d: expected at least 1", n)
	}
	return nil
}

// atOnce is how many trials run at once where nobody says. Trials mostly wait, but
// their clocks are real, and a command needs a processor to start.
func (f *runFlags) atOnce(e harness.Executor) int {
	n := runtime.GOMAXPROCS(0)
	switch {
	case f.parallel > 0:
		return f.parallel
	case len(e.Command) > 0:
		return n
	}
	return 2 * n
}

// given is what the command line and drill.yaml say together, but for the target.
type given struct {
	picked   []scenarios.Scenario
	config   config.Config
	executor harness.Executor
}

func (f *runFlags) read(names []string) (g given, err error) {
	if f.place, err = placeOf(cmp.Or(f.world, defaultWorld)); err != nil {
		return g, err
	}
	if g.picked, err = f.scenarios(names); err != nil {
		return g, err
	}
	if g.config, err = config.Load(f.config); err != nil {
		return g, err
	}
	if g.executor, err = f.chosen(g.config.Executor); err != nil {
		return g, err
	}
	if g.executor, err = f.follow(g.executor, g.config.Policy); err != nil {
		return g, err
	}
	if g.config.Limits, err = held(g.config, g.executor); err != nil {
		return g, err
	}
	if err := checkKept(f.receipts, f.place.name, g.executor); err != nil {
		return g, err
	}
	return g, f.place.takes(harness.Schedule{Executor: g.executor, Faults: f.faultLines(g.picked)})
}

// options puts flags over drill.yaml over defaults, for one target.
func (f *runFlags) options(names []string) (suite.Options, *targets.Profile, error) {
	g, err := f.read(names)
	if err != nil {
		return suite.Options{}, nil, err
	}
	if len(f.targets) > 1 {
		return suite.Options{}, nil, fmt.Errorf("--target stands there %d times: a search is made at one target", len(f.targets))
	}
	return f.at(cmp.Or(strings.Join(f.targets, ""), g.config.Target, defaultTarget), g)
}

// at is a run against one target.
func (f *runFlags) at(target string, g given) (suite.Options, *targets.Profile, error) {
	var o suite.Options
	p, err := targets.Load(target)
	if err != nil {
		return o, nil, err
	}
	action, err := template(p, g.config)
	if err != nil {
		return o, nil, err
	}
	for _, line := range f.faultLines(g.picked) {
		if name := line.NoneOf(operations(p)); name != "" {
			return o, nil, fmt.Errorf("--fault %q: %s has no operation %s: expected %s", line, target, name, strings.Join(operations(p), ", "))
		}
	}
	return suite.Options{
		WorldName:     f.place.name,
		Executor:      g.executor,
		Promises:      p.Promises(),
		Profile:       target,
		ProfileDigest: p.Digest(),
		Action:        action,
		Limits:        g.config.Limits,
		Calibrate:     !g.config.Deadlines,
		Scenarios:     g.picked,
		Seed:          f.seed,
		Parallel:      f.atOnce(g.executor),
		Dir:           keepDir,
		Histories:     f.histories,
		Blind:         f.blind,
	}, p, nil
}

// againstAll: the reference executor acts on any profile, so that where nobody names
// a target it is run against every built-in one. All else is made for one API, or
// shows what it shows at one.
func (f *runFlags) againstAll(g given) bool {
	return g.executor.Kind == "builtin" && g.executor.Name == defaultExecutor && g.config.Action == nil && len(f.faults) == 0
}

// lanes are the runs of a command, one a target, in the order in which they were
// named.
func (f *runFlags) lanes(names []string) ([]*lane, error) {
	g, err := f.read(names)
	if err != nil {
		return nil, err
	}
	all := f.targets
	switch {
	case len(all) > 0:
	case g.config.Target != "":
		all = []string{g.config.Target}
	case f.againstAll(g):
		all = targets.Names()
	default:
		all = []string{defaultTarget}
	}
	var out []*lane
	for i, target := range all {
		if slices.Index(all, target) < i {
			return nil, fmt.Errorf("--target %s stands there twice", target)
		}
		o, p, err := f.at(target, g)
		if err != nil {
			return nil, err
		}
		out = append(out, newLane(o, p))
	}
	return out, nil
}

// chosen is the executor that is run: --exec, --serve and --executor replace what
// drill.yaml names; the environment and the abilities that it declares stay with a
// command, and how it is asked with one that serves.
func (f *runFlags) chosen(e harness.Executor) (harness.Executor, error) {
	switch {
	case f.exec != "":
		words, err := splitCommand("exec", f.exec)
		if err != nil {
			return e, err
		}
		e.Kind, e.Name, e.Command, e.Serve = "exec", "", words, nil
	case f.serve != "":
		words, err := splitCommand("serve", f.serve)
		if err != nil {
			return e, err
		}
		e.Kind, e.Name, e.Command = "serve", "", words
	case f.executor != "":
		e = harness.Executor{Kind: "builtin", Name: f.executor}
	case e.Kind == "" || e.Name == "" && e.Kind == "builtin":
		e.Kind, e.Name = "builtin", defaultExecutor
	}
	if e.Kind == "builtin" {
		return e, builtin(e.Name)
	}
	return e, nil
}

// splitCommand splits as a shell does: quotes, variables and the tilde. What drill fills
// in itself stays.
func splitCommand(flag, s string) ([]string, error) {
	words, err := shell.Fields(s, func(name string) string {
		if flag == "serve" && slices.Contains(config.Placeholders, name) {
			return "${" + name + "}"
		}
		return os.Getenv(name)
	})
	if err != nil {
		return nil, fmt.Errorf("--%s %q can not be split into words: %w; write sh -c '…' for a shell's own work", flag, s, err)
	}
	if len(words) == 0 || words[0] == "" {
		return nil, fmt.Errorf("--%s is empty: expected "+aCommand, flag)
	}
	return words, nil
}

// faultLines are those of --fault.
func (f *runFlags) faultLines(picked []scenarios.Scenario) []harness.Fault {
	if len(f.faults) == 0 {
		return nil
	}
	return picked[0].Trials[0].Faults
}

// operations are those that a fault line can name at a target.
func operations(p *targets.Profile) []string {
	return append(slices.Sorted(maps.Keys(p.Operations)), harness.AnyOp, harness.MutateOp)
}

// template is drill.yaml's action, or the profile's own.
func template(p *targets.Profile, c config.Config) (suite.Template, error) {
	a := p.DefaultAction()
	t := suite.Template{Effect: a.Effect, BusinessKey: a.BusinessKey, Arguments: a.Arguments, Changed: a.Changed, Whole: p.Example.Whole, Normal: p.Normal()}
	if c.Action != nil {
		t = suite.Template{Effect: c.Action.Effect, BusinessKey: c.Action.BusinessKey, Arguments: c.Action.Arguments,
			Changed: c.Action.Changed, Whole: c.Action.Whole, Normal: p.Normal()}
		if err := p.CheckAction(harness.Action{Name: "A", Arguments: t.Arguments}); err != nil {
			return t, fmt.Errorf("drill.yaml: %w", err)
		}
	}
	return t, nil
}

// scenarios are those named, all, or the one trial that --fault describes.
func (f *runFlags) scenarios(names []string) ([]scenarios.Scenario, error) {
	if len(f.faults) == 0 {
		return scenarios.Pick(names)
	}
	if len(names) > 0 {
		return nil, fmt.Errorf("--fault makes a trial of its own: the scenario %s does not go with it", strings.Join(names, ", "))
	}
	t := scenarios.Trial{Name: strings.Join(f.faults, "; "), Actions: map[string]scenarios.Derived{}}
	for _, line := range f.faults {
		fault, err := harness.ParseFault(line)
		if err != nil {
			return nil, err
		}
		t.Faults = append(t.Faults, fault)
		for _, name := range scenarios.Named(fault) {
			if name != "A" {
				t.Actions[name] = scenarios.Derived{Like: "A"}
			}
		}
	}
	return []scenarios.Scenario{{Name: "ad-hoc", Story: "The faults of the command line.", Trials: []scenarios.Trial{t}}}, nil
}

func underGoRun(path string) bool {
	return strings.Contains(filepath.ToSlash(path), "/go-build")
}
