package reference

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"time"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/policy"
	"github.com/retrydrill/drill/harness/receipt"
	"github.com/retrydrill/drill/harness/worker"
	"github.com/retrydrill/drill/targets"
)

// target is what the executor acts on; [targets.Client] is one.
type target interface {
	Do(ctx context.Context, op string, w targets.Write) targets.Outcome
	Undo(ctx context.Context, op, resource string, w targets.Write) targets.Outcome
	Look(ctx context.Context, step string, w targets.Write) ([]targets.Object, targets.Outcome)
}

// profile is what is known of the target beside its promises; [targets.Profile] is one.
type profile interface {
	// CheckAction says why the target does not take an action's arguments.
	CheckAction(harness.Action) error
	// Normalise brings the arguments of an action into the form in which they are approved
	// and compared, and refuses what CheckAction refuses.
	Normalise(action string, a harness.Arguments) (*targets.Normalised, error)
	// Namer digests arguments as the target reads them.
	Namer() harness.Namer
}

// outfit is what an executor knows wherever it runs. Those that follow the same rules,
// profile and policy share one, and nobody changes it.
type outfit struct {
	rules    Rules
	promises harness.Promises
	policy   policy.Policy
	profile  profile
	// document is the text of the policy, and builtin the name of the profile where no
	// file has it, which is read then.
	document, builtin string
	read              *targets.Profile
}

// outfits makes outfits for executors of some rules. It keeps the last one, since the
// lives of a trial, and most trials of a search, want the same.
type outfits struct {
	rules Rules
	last  atomic.Pointer[outfit]
}

// of returns the outfit for an executor in those surroundings.
func (m *outfits) of(env *worker.Env) (*outfit, error) {
	last := m.last.Load()
	if last != nil && last.builtin != "" && last.builtin == env.Profile && last.document == env.Policy {
		return last, nil
	}
	p, err := targets.Load(env.Profile)
	if err != nil {
		return nil, fmt.Errorf("profile: %w", err)
	}
	o := &outfit{rules: m.rules, promises: p.Promises(), profile: p, document: env.Policy, read: p}
	if slices.Contains(targets.Names(), env.Profile) {
		o.builtin = env.Profile
	}
	if o.policy, err = policyOf(env.Policy); err != nil {
		return nil, err
	}
	if env.Policy != "" {
		o.rules = o.rules.under(o.policy)
	}
	m.last.Store(o)
	return o, nil
}

// run handles one delivery. An action that could not be settled fails it, once
// the others were tried.
func (x *executor) run(ctx context.Context, job worker.Job, report func(harness.Report)) error {
	l, in := &x.handed, &x.room
	if x.at.Add(1) > 1 {
		l, in = &life{}, &room{}
	}
	err := l.in(x, in).live(ctx, &job, report)
	*l = life{}
	x.at.Add(-1)
	return err
}

func (l *life) live(ctx context.Context, job *worker.Job, report func(harness.Report)) error {
	x := l.executor
	l.job = *job
	l.rng.Seed(x.env.Seed, uint64(x.env.Worker)<<32|uint64(job.Delivery))
	switch {
	case job.Deliver == worker.DeliverRecover:
		return l.recover(ctx, report)
	case job.Deliver == worker.DeliverEvent && job.Event != nil:
		return l.hear(ctx, *job.Event, report)
	}
	var unsettled []error
	for i := range job.Actions {
		if ctx.Err() != nil {
			unsettled = append(unsettled, context.Cause(ctx))
			break
		}
		r, err := l.act(ctx, i)
		if err != nil {
			unsettled = append(unsettled, fmt.Errorf("action %s: %w", job.Actions[i].ActionID, err))
			continue
		}
		report(r)
	}
	return errors.Join(unsettled...)
}

// life is one delivery at work.
type life struct {
	*executor
	job worker.Job
	rng rand.PCG
	// notBefore is when the target may be asked again, by any action of this life.
	notBefore time.Time
	// normal are the arguments of the action at hand.
	normal *targets.Normalised
	// claimed is the claim that was made last, came what it came to, or nil where that is
	// some work's.
	claimed *receipt.Claim
	came    *receipt.Decision
	// first is the first work of this life, begun says that it is in use, and room is for it.
	first work
	begun bool
	room  *room
	// lasts is what it works under where it must not give up.
	lasts context.Context
}

// room is for what is large in a life: each is written whole before it is read.
type room struct {
	claimed receipt.Claim
	came    receipt.Decision
	next    receipt.Receipt
}

// in makes an empty life one of an executor, in a room.
func (l *life) in(x *executor, m *room) *life {
	l.executor, l.room, l.claimed, l.came = x, m, &m.claimed, &m.came
	return l
}

// claim makes a claim. What it returns holds until the next one; on an error it is
// empty.
func (l *life) claim(ctx context.Context, c *receipt.Claim) (r *receipt.Receipt, fresh bool, err error) {
	if l.came == nil {
		l.came = &receipt.Decision{}
	}
	*l.claimed = *c
	*l.came = receipt.Decision{}
	err = l.store.Take(ctx, l.claimed, l.came)
	return &l.came.Receipt, l.came.Fresh, err
}

// lasting is a context of this life that does not end when its caller gives up.
func (l *life) lasting(ctx context.Context) context.Context {
	switch {
	case l.lasts != nil:
	case l == &l.handed:
		l.lasts = l.caller.lasting(ctx)
	default:
		l.lasts = context.WithoutCancel(ctx)
	}
	return l.lasts
}

// caller is the context of whichever delivery has an executor's room, and that without
// its end.
type caller struct {
	context.Context
	lasts context.Context
}

func (c *caller) lasting(ctx context.Context) context.Context {
	c.Context = ctx
	if c.lasts == nil {
		c.lasts = context.WithoutCancel(c)
	}
	return c.lasts
}

func (l *life) now() time.Time { return l.env.Clock.Now() }

// UnsettledError is returned where a delivery ends without an outcome and has to
// be handed over again. Its text leaves out what differs between runs (ports,
// times); the original error stays reachable.
type UnsettledError struct {
	// Step is what was tried, Why is why this delivery tries no more.
	Step, Why string
	// Class is that of the last outcome.
	Class harness.Class
	Err   error
}

func (e *UnsettledError) Error() string {
	return fmt.Sprintf("%s: %s: %s", e.Step, e.Class, e.Why)
}

// Unwrap returns the original error.
func (e *UnsettledError) Unwrap() error { return e.Err }
