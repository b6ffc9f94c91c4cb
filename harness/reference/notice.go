package reference

import (
	"context"
	"errors"
	"fmt"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/receipt"
	"github.com/retrydrill/drill/harness/worker"
)

// hear takes a notice of the target for what it is: a hint that something can be
// looked up. It proves nothing by itself, since anybody can send one, and it asks for
// nothing, since it comes early, late, twice or for somebody else. Whose it is says
// the reference; one that names no action of ours is ignored.
func (l *life) hear(ctx context.Context, n worker.Event, report func(harness.Report)) error {
	if !l.rules.NoticeIsNoProof {
		return l.believeNotice(ctx, n, report)
	}
	if n.Reference == "" {
		return nil
	}
	r, err := l.store.Get(ctx, n.Reference)
	switch {
	case errors.Is(err, receipt.ErrMissing):
		return nil
	case err != nil:
		return err
	case !l.rules.NoticeIsNoOrder:
		out, err := l.sendAgain(ctx, r, n.ID)
		if out != nil {
			report(*out)
		}
		return err
	case r.State.Settled():
		report(told(r.ActionID, &r))
		return nil
	case r.Held(l.now()):
		// Whoever holds it hears the answer itself.
		return nil
	}
	out, err := l.takeUp(ctx, r)
	if out != nil {
		report(*out)
	}
	return err
}

// believeNotice is what a careless executor does: what stands under the business key
// is taken for the action's own, as the notice tells it.
func (l *life) believeNotice(ctx context.Context, n worker.Event, report func(harness.Report)) error {
	open, err := l.store.Unsettled(ctx)
	if err != nil {
		return err
	}
	for _, r := range open {
		if _, _, step := l.stepOf(r.ActionID); r.BusinessKey == n.BusinessKey && !step {
			report(harness.Report{ActionID: r.ActionID, Outcome: harness.Done, Resource: n.ResourceID, Detail: fmt.Sprintf("told by %s", n.ID)})
		}
	}
	return nil
}
