package drilltest

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"runtime"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/suite"
	"github.com/retrydrill/drill/harness/worker"
	"github.com/retrydrill/drill/scenarios"
	"github.com/retrydrill/drill/targets"
)

// Options say what is drilled, and against what.
type Options struct {
	// New builds the executor afresh for each life of a worker. Command is a worker of
	// any language instead, as docs/worker-protocol.md describes it.
	New     worker.New
	Command []string
	// Serve says that Command is a server, and how it is asked: see docs/served-workers.md.
	// The zero value of it is the worker protocol over HTTP.
	Serve *harness.Served
	// Isolate runs New in a child of this test binary wherever a scenario kills its
	// worker: a real process and a real SIGKILL. Without it a kill is that of a bubble,
	// and with Wire those scenarios are skipped, since a function can not be killed. The child runs this test again up
	// to the call of [Run], so that what stands before it must be quick.
	Isolate bool
	// Wire runs New over real sockets and in real time, as a Command always is.
	// Without it, and without Isolate, New runs under virtual time where the target
	// speaks HTTP; docs/go-test.md says what can not run there.
	Wire bool
	// Target is the profile of the target's API: a built-in one (drill list profiles)
	// or a file. Empty is stripe-v1.
	Target string
	// Action is what is asked for; nil is the profile's own example.
	Action *suite.Template
	// Env are environment variables of a Command, with ${target_url}, ${target_token}
	// and ${state_dir} filled in.
	Env map[string]string
	// Abilities declare what the executor has or lacks, like checks-approval: false;
	// drill list needs says which there are.
	Abilities map[string]bool
	// Limits are what is declared to the worker; the zero value is
	// [harness.DefaultLimits].
	Limits harness.Limits
	// Scenarios are those that are run; none means all.
	Scenarios []string
	// Parallel is how many trials of one scenario run at once; below 1 is one a
	// processor for a Command and two for New.
	Parallel int
}

var seed = flag.Uint64("drill.seed", 1, "the source of every ID and choice of a drill")

// workerName is how the schedules of a test call its Go executor.
const workerName = "worker"

func (o Options) executor(p *targets.Profile) (harness.Executor, error) {
	switch {
	case o.New != nil && len(o.Command) > 0:
		return harness.Executor{}, fmt.Errorf("options: New and Command are both given: expected one")
	case o.New == nil && len(o.Command) == 0:
		return harness.Executor{}, fmt.Errorf("options: neither New nor Command is given")
	case o.Serve != nil && len(o.Command) == 0:
		return harness.Executor{}, fmt.Errorf("options: Serve says how a Command is asked, and there is none")
	case len(o.Command) > 0 && o.Serve != nil:
		return harness.Executor{Kind: "serve", Command: o.Command, Serve: o.Serve, Env: o.Env, Abilities: o.Abilities}, nil
	case len(o.Command) > 0:
		return harness.Executor{Kind: "exec", Command: o.Command, Env: o.Env, Abilities: o.Abilities}, nil
	case o.Isolate, o.virtual(p):
		return harness.Executor{Kind: "builtin", Name: workerName, Abilities: o.own()}, nil
	}
	return harness.Executor{Kind: "func", Name: workerName, Abilities: o.Abilities}, nil
}

// virtual reports whether trials are carried out under virtual time: where a Go
// executor is to speak HTTP, and nothing else is wanted.
func (o Options) virtual(p *targets.Profile) bool {
	return o.New != nil && !o.Isolate && !o.Wire && p.Protocol == ""
}

// own are the abilities of an executor in Go. Drill stands at the writes of its store
// where it says that it asks [worker.Env.Records].
func (o Options) own() map[string]bool {
	out := map[string]bool{"receipts": false}
	maps.Copy(out, o.Abilities)
	return out
}

// suite is what the catalogue is run with.
func (o Options) suite() (suite.Options, *targets.Profile, error) {
	var s suite.Options
	target := cmp.Or(o.Target, "stripe-v1")
	p, err := targets.Load(target)
	if err != nil {
		return s, nil, err
	}
	e, err := o.executor(p)
	if err != nil {
		return s, nil, err
	}
	picked, err := scenarios.Pick(o.Scenarios)
	if err != nil {
		return s, nil, err
	}
	world := wireName
	if o.virtual(p) {
		world = virtualName
	}
	s = suite.Options{WorldName: world, Executor: e, Promises: p.Promises(), Profile: target, ProfileDigest: p.Digest(),
		Action: template(p), Limits: o.Limits, Scenarios: picked, Seed: *seed, Parallel: o.Parallel}
	if o.Action != nil {
		s.Action = *o.Action
	}
	if s.Limits == (harness.Limits{}) {
		s.Limits = harness.DefaultLimits()
	}
	if s.Parallel < 1 {
		if s.Parallel = runtime.GOMAXPROCS(0); len(e.Command) == 0 && !o.virtual(p) {
			s.Parallel *= 2
		}
	}
	return s, p, nil
}

func template(p *targets.Profile) suite.Template {
	a := p.DefaultAction()
	return suite.Template{Effect: a.Effect, BusinessKey: a.BusinessKey, Arguments: a.Arguments, Changed: a.Changed, Whole: p.Example.Whole, Normal: p.Normal()}
}
