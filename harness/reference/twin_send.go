package reference

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/receipt"
	"github.com/retrydrill/drill/harness/worker"
	"github.com/retrydrill/drill/targets"
)

// errLate is what a request that was not sent ends with: what had to be asked first
// took too long for the lease.
var errLate = errors.New("the look-up before it took too long")

// soon reports whether so much of the lease is left that a request can still end in it.
func (x *executor) soon(began time.Time) bool {
	return x.env.Clock.Now().Sub(began) < x.env.Lease/8
}

// own is the one standing object that has the write's reference and arguments.
func (x *executor) own(found []targets.Object, w targets.Write) (targets.Object, bool) {
	found = slices.DeleteFunc(slices.Clone(found), func(o targets.Object) bool {
		return o.Undone || x.promises.Reference == "" || o.Reference != w.ActionID || o.Arguments != x.profile.Namer().Digest(w.Arguments)
	})
	if len(found) != 1 {
		return targets.Object{}, false
	}
	return found[0], true
}

// looksFirst asks before it sends.
func looksFirst(x *executor, next sender) sender {
	return func(ctx context.Context, op string, w targets.Write) targets.Outcome {
		began := x.env.Clock.Now()
		found, out := x.target.Look(ctx, op, w)
		o, ours := x.own(found, w)
		switch {
		case !x.soon(began):
			return targets.Outcome{Class: harness.NeverDispatched, Err: errLate}
		case out.Class == harness.Confirmed && ours:
			return targets.Outcome{Class: harness.Confirmed, Resource: o.Resource}
		}
		return next(ctx, op, w)
	}
}

// comparedOnConflict looks whose it is where the name is taken.
func comparedOnConflict(x *executor, next sender) sender {
	return func(ctx context.Context, op string, w targets.Write) targets.Outcome {
		out := next(ctx, op, w)
		if !x.promises.UniqueNames || out.Status != 409 {
			return out
		}
		found, looked := x.target.Look(ctx, op, w)
		if o, ours := x.own(found, w); ours && looked.Class == harness.Confirmed {
			return targets.Outcome{Class: harness.Confirmed, Resource: o.Resource}
		}
		return out
	}
}

// provenFirst undoes once a look-up shows that the refused step made nothing.
func provenFirst(x *executor, next undoer) undoer {
	return func(ctx context.Context, op, resource string, w targets.Write) targets.Outcome {
		action, _, is := x.stepOf(w.Key)
		r, err := x.store.Get(ctx, action)
		if !is || err != nil {
			return next(ctx, op, resource, w)
		}
		began := x.env.Clock.Now()
		asked := targets.Write{ActionID: action, BusinessKey: r.BusinessKey, Arguments: r.Arguments}
		found, out := x.target.Look(ctx, x.promises.Steps[len(x.promises.Steps)-1].Op, asked)
		stands := slices.ContainsFunc(found, func(o targets.Object) bool { return o.Reference == action && !o.Undone })
		if out.Class != harness.Confirmed || stands || !x.soon(began) {
			return targets.Outcome{Class: harness.NeverDispatched, Err: errLate}
		}
		return next(ctx, op, resource, w)
	}
}

// twice reads again, and takes together what both reads tell.
func twice(_ *executor, next looker) looker {
	return func(ctx context.Context, step string, w targets.Write) ([]targets.Object, targets.Outcome) {
		first, out := next(ctx, step, w)
		if out.Class != harness.Confirmed {
			return first, out
		}
		second, out := next(ctx, step, w)
		for _, o := range first {
			if !slices.ContainsFunc(second, func(p targets.Object) bool { return p.Resource == o.Resource }) {
				second = append(second, o)
			}
		}
		return second, out
	}
}

// ofActionAndArguments: one key an action, and another one for other arguments.
func ofActionAndArguments(_ *executor, w targets.Write) string {
	text, err := w.Arguments.Canonical()
	if err != nil {
		return w.Key
	}
	return strings.TrimPrefix(harness.Digest(append([]byte(w.Key+"\n"), text...)), "sha256:")[:40]
}

// afterRefusals: the key has in it how often the target refused for now, as the record
// of the action tells. An open outcome is none of these, so that it keeps its key.
func afterRefusals(x *executor, w targets.Write) string {
	r, err := x.store.Get(context.Background(), w.ActionID)
	if err != nil || r.Ended.Of(harness.RejectedTransient) == 0 {
		return w.Key
	}
	return fmt.Sprintf("%s-%d", w.Key, r.Ended.Of(harness.RejectedTransient))
}

// ofTheClientAndTheAction: a setting of the client, and the action's own.
func ofTheClientAndTheAction(_ *executor, w targets.Write) string { return "client-7/" + w.Key }

// withoutStep: the key of a step, less the name of the step.
func withoutStep(x *executor, w targets.Write) string {
	for _, s := range x.promises.Steps {
		w.Key = strings.Replace(w.Key, ":"+s.Op, "", 1)
	}
	return w.Key
}

// renamedStably: a name of the executor's own, the same in every run.
func renamedStably(_ *executor, j worker.Job) worker.Job {
	for i := range j.Actions {
		j.Actions[i].ActionID += "/own"
	}
	return j
}

// byCallIDAndDigest: the digest is made anew from the arguments that came, and the
// consent is still that of its own digest.
func byCallIDAndDigest(_ *executor, a *worker.JobAction) { a.ArgumentsSHA256 = a.Arguments.Digest() }

// inASentence tells the detail in a sentence, and the class as it is.
func inASentence(r harness.Report) harness.Report {
	if r.ErrorClass != "" {
		r.Detail = "the call went wrong: " + r.Detail
	}
	return r
}

// recounted counts the attempts of a receipt from its transitions.
func recounted(s receipt.Store) receipt.Store {
	return loose{Store: s, claim: func(ctx context.Context, s receipt.Store, c receipt.Claim) (receipt.Receipt, bool, error) {
		r, fresh, err := s.Claim(ctx, c)
		r.Attempt = 0
		for _, e := range r.History {
			r.Attempt = e.Attempt
		}
		return r, fresh, err
	}}
}

// throughTwice goes through what was handed over, and then through all of it again,
// which finds what is recorded and tells nothing new.
func throughTwice(env worker.Env) (worker.Func, func() error, error) {
	once, stop, err := bend{}.New(env)
	if err != nil {
		return nil, nil, err
	}
	return func(ctx context.Context, env worker.Env, j worker.Job, report func(harness.Report)) error {
		if err := once(ctx, env, j, report); err != nil {
			return err
		}
		return once(ctx, env, j, func(harness.Report) {})
	}, stop, nil
}
