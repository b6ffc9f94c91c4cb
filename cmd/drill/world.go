package main

import (
	"github.com/retrydrill/drill/fakes"
	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/tap"
	"github.com/retrydrill/drill/harness/wire"
	"github.com/retrydrill/drill/targets"
)

// openWire opens the world of real sockets and processes, with a fake of the
// profile as each trial's target.
func openWire(p *targets.Profile) (*wire.World, error) {
	return wire.New(wire.Options{Builtins: builtins(), Target: fakeOf(p)})
}

// fakeOf makes each trial a fake of its own.
func fakeOf(p *targets.Profile) func(harness.Schedule, tap.TargetEnv) (*tap.Target, error) {
	return func(s harness.Schedule, env tap.TargetEnv) (*tap.Target, error) {
		f, err := fakes.New(p, fakes.Options{Token: env.Token, Now: env.Now, Start: env.Now(), Seed: s.Seed,
			Settings: s.Settings, Limits: s.Limits, Action: s.Actions[0]})
		if err != nil {
			return nil, err
		}
		return &tap.Target{Handler: f, Namer: p.Namer(), Promises: p.Promises(), Effects: f.Effects, Watch: f.Watch, Tell: f.Tell, Close: f.Close}, nil
	}
}
