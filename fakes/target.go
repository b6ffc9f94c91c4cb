package fakes

import (
	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/tap"
	"github.com/retrydrill/drill/targets"
)

// Of makes each trial a fake of its own, as a world asks for its target.
func Of(p *targets.Profile) func(harness.Schedule, tap.TargetEnv) (*tap.Target, error) {
	return func(s harness.Schedule, env tap.TargetEnv) (*tap.Target, error) {
		f, err := New(p, Options{Token: env.Token, Now: env.Now, Sleep: env.Sleep, Start: env.Now(), Seed: s.Seed,
			Settings: s.Settings, Limits: s.Limits, Action: s.Actions[0]})
		if err != nil {
			return nil, err
		}
		return &tap.Target{Handler: f, Protocol: protocolOf(p.Protocol), Namer: p.Namer(), Promises: p.Promises(), Effects: f.Effects, Watch: f.Watch, Tell: f.Tell,
			Pending: f.Pending, Close: f.Close}, nil
	}
}
