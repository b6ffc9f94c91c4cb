package fakes

import (
	"sync"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/tap"
	"github.com/retrydrill/drill/targets"
)

// Of makes each trial a fake of its own, as a world asks for its target. Where the
// world promises that nothing reaches a target once it is closed, the next trial gets
// the same fake, reset.
func Of(p *targets.Profile) func(harness.Schedule, tap.TargetEnv) (*tap.Target, error) {
	var used sync.Pool
	all := new(known)
	build := func(o Options) (*Fake, error) {
		f, err := New(p, o)
		if err == nil {
			f.known = all
		}
		return f, err
	}
	return func(s harness.Schedule, env tap.TargetEnv) (*tap.Target, error) {
		o := Options{Token: env.Token, Now: env.Now, Sleep: env.Sleep, Start: env.Now(), Seed: s.Seed,
			Settings: s.Settings, Limits: s.Limits, Action: s.Actions[0]}
		if !env.Reuse {
			f, err := build(o)
			if err != nil {
				return nil, err
			}
			return f.target(f.Close), nil
		}
		if l, ok := used.Get().(*lent); ok {
			return l.again(o)
		}
		f, err := build(o)
		if err != nil {
			return nil, err
		}
		f.lent = true
		l := &lent{fake: f, to: &used}
		l.target, l.out = f.target(l.giveBack), true
		return l.target, nil
	}
}

// target is the fake as a world sees it.
func (f *Fake) target(done func() error) *tap.Target {
	return &tap.Target{Handler: f, Protocol: protocolOf(f.p.Protocol), Namer: f.namer, Promises: f.p.Promises(),
		Effects: f.ledger.all, Watch: f.Watch, Tell: f.Tell, Pending: f.Pending, Prompt: true, Close: done}
}

// lent is a fake that goes from trial to trial. The target through which worlds see it
// stays as it is: whoever had it before may still read what was promised there.
type lent struct {
	fake   *Fake
	target *tap.Target
	to     *sync.Pool
	out    bool
}

func (l *lent) again(o Options) (*tap.Target, error) {
	if err := l.fake.Reset(o); err != nil {
		return nil, err
	}
	l.out = true
	return l.target, nil
}

// giveBack ends one trial's use. A second call does nothing until the next trial has
// it: a world that lets it be used again closes it once.
func (l *lent) giveBack() error {
	if l.out {
		l.out = false
		l.to.Put(l)
	}
	return nil
}
