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
func Of(p *targets.Profile) func(*harness.Schedule, tap.TargetEnv) (*tap.Target, error) {
	var used sync.Pool
	all := new(known)
	return func(s *harness.Schedule, env tap.TargetEnv) (*tap.Target, error) {
		if env.Reuse {
			if l, ok := used.Get().(*lent); ok {
				return l.again(s, &env)
			}
		}
		var o Options
		o.of(s, &env)
		o.Action = s.Actions[0]
		f, err := New(p, o)
		if err != nil {
			return nil, err
		}
		f.known = all
		if !env.Reuse {
			return f.target(f.Close), nil
		}
		f.lent = true
		f.alone(env.Alone)
		l := &lent{fake: f, to: &used}
		l.target, l.out = f.target(l.giveBack), true
		return l.target, nil
	}
}

// of makes them what a trial wants, but for the action, where they are to stay: they are
// large.
func (o *Options) of(s *harness.Schedule, env *tap.TargetEnv) {
	o.Token, o.Now, o.Sleep, o.Start, o.Seed = env.Token, env.Now, env.Sleep, env.Now(), s.Seed
	o.Settings, o.Limits = s.Settings, s.Limits
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

func (l *lent) again(s *harness.Schedule, env *tap.TargetEnv) (*tap.Target, error) {
	l.fake.alone(env.Alone)
	l.fake.o.of(s, env)
	if err := l.fake.reset(&s.Actions[0]); err != nil {
		return nil, err
	}
	l.out = true
	return l.target, nil
}

// alone says whether nobody is at the fake while another one is. Nobody is at it then.
func (f *Fake) alone(is bool) {
	f.mu.Alone, f.ledger.mu.Alone, f.teller.mu.Alone, f.ways.door.mu.Alone = is, is, is, is
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
