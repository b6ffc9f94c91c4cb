package reference

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/receipt"
	"github.com/retrydrill/drill/harness/worker"
	"github.com/retrydrill/drill/targets"
)

// act settles one action of the delivery and says what to report.
func (l *life) act(ctx context.Context, i int) (harness.Report, error) {
	own := l.job.Actions[i]
	a := &own
	if err := l.allowed(a); err != nil {
		return refused(a, harness.NotAllowed, err.Error()), nil
	}
	n, err := l.normalise(a)
	if err != nil {
		return refused(a, harness.NotAllowed, err.Error()), nil
	}
	a.Arguments, l.normal = n.Arguments, n
	came, digest := n.Came, n.Digest
	if l.rules.BindArguments && a.ArgumentsSHA256 != digest && a.ArgumentsSHA256 != came {
		return refused(a, harness.ArgumentsChanged, "the arguments are not those of their own digest"), nil
	}
	if a.Approval.ArgumentsSHA256 == came {
		// What was approved is this spelling, and so its normal form.
		a.Approval.ArgumentsSHA256 = digest
	}
	c := l.asks(a, digest, i)
	r, fresh, err := l.take(ctx, &c)
	switch {
	case errors.Is(err, receipt.ErrChanged):
		return refused(a, harness.ArgumentsChanged, "the arguments are not those of the receipt"), nil
	case errors.Is(err, receipt.ErrNotApproved) && a.Approval.Status == harness.NoGrant:
		return waits(a, harness.ForApproval), nil
	case errors.Is(err, receipt.ErrNotApproved), errors.Is(err, receipt.ErrSpent):
		return refused(a, harness.ApprovalMissing, "no valid approval covers the arguments"), nil
	case errors.Is(err, receipt.ErrHeld):
		return l.held(a, err), nil
	case err != nil:
		return harness.Report{}, err
	}
	if !l.rules.ClaimIsNoProof && !fresh {
		return harness.Report{ActionID: a.ActionID, Outcome: harness.Done, Resource: r.Resource}, nil
	}
	w := l.workOn(r)
	w.covered, w.foreign = c.Covered, !c.Covered && c.Approval.ID != r.ApprovalID
	switch err := w.settleAll(ctx, &c, fresh); {
	case errors.Is(err, errUncovered):
		w.release(ctx)
		return waits(a, harness.ForApproval), nil
	case errors.Is(err, receipt.ErrStale), errors.Is(err, receipt.ErrHeld):
		return waits(a, harness.ForWorker), nil
	case err != nil:
		w.release(ctx)
		return harness.Report{}, err
	}
	out := told(a.ActionID, w.r)
	if !l.rules.KeepSecret {
		out.Detail = "asked with Authorization: Bearer " + l.env.Token
	}
	return out, nil
}

// normalise brings the arguments into the profile's normal form. What this target does not
// take, or what has no such form, such as a name where an ID has to stand, is refused
// before anything is recorded of it.
func (l *life) normalise(a *worker.JobAction) (*targets.Normalised, error) {
	if l.rules.Normalise {
		return l.profile.Normalise(a.ActionID, a.Arguments)
	}
	if err := l.profile.CheckAction(harness.Action{Name: a.ActionID, Arguments: a.Arguments}); err != nil {
		return nil, err
	}
	came := a.Arguments.Digest()
	return &targets.Normalised{Arguments: a.Arguments, Came: came, Digest: came}, nil
}

// asks is the claim of an action.
func (l *life) asks(a *worker.JobAction, digest string, i int) receipt.Claim {
	approved := digest
	if !l.rules.BindArguments {
		approved = a.Approval.ArgumentsSHA256
	}
	now := l.now()
	c := receipt.Claim{
		ActionID: a.ActionID, TriggerKey: l.job.TriggerKey, BusinessKey: a.BusinessKey, Effect: a.Effect,
		Arguments: a.Arguments, Digest: digest,
		Approval: a.Approval, Covered: a.Approval.Covers(approved, l.env.PolicyVersion, now),
		Delivery: l.job.Delivery, Owner: owner(l.env.Worker), Lease: l.env.Lease, Now: now,
	}
	for k := range l.job.Actions[:i] {
		b := &l.job.Actions[k]
		if b.Effect != a.Effect || b.BusinessKey != a.BusinessKey {
			continue
		}
		if n, err := l.normalise(b); err == nil && n.Digest == digest {
			c.Ordinal++
		}
	}
	if !l.rules.CheckApproval {
		c.Covered, c.Approval.SingleUse = true, false
	}
	if !l.rules.AnswerIsNoApproval && l.job.Answer != nil {
		c.Covered = true
	}
	if !l.rules.PerAction && len(l.job.Actions) > 1 {
		// What is recorded is this run of the batch.
		c.ActionID = fmt.Sprintf("%s/%d", c.ActionID, l.job.Delivery)
		c.TriggerKey, c.Approval.SingleUse = fmt.Sprintf("%s/%d", c.TriggerKey, l.job.Delivery), false
	}
	switch {
	case !l.rules.OneIntent:
		c.TriggerKey += "/" + c.ActionID
	case !l.rules.DistinctIntents:
		c.TriggerKey = c.BusinessKey
	}
	return c
}

// owner is a worker's name on a lease.
func owner(worker int) string {
	if worker >= 0 && worker < len(owners) {
		return owners[worker]
	}
	return "w" + strconv.Itoa(worker)
}

// owners are most of them.
var owners = [...]string{"w0", "w1", "w2", "w3", "w4"}

// take claims the receipt. Without BindArguments it insists, and puts the arguments
// of the delivery in place of those that were approved.
func (l *life) take(ctx context.Context, c *receipt.Claim) (*receipt.Receipt, bool, error) {
	r, fresh, err := l.claim(ctx, c)
	if err == nil || l.rules.BindArguments {
		return r, fresh, err
	}
	var changed *receipt.ChangedError
	if !errors.As(err, &changed) {
		return r, fresh, err
	}
	other := *c
	other.Digest = changed.Receipt.Digest
	r, fresh, err = l.claim(ctx, &other)
	if err == nil && !r.State.Settled() {
		r.Arguments, r.Digest = c.Arguments, c.Digest
	}
	return r, fresh, err
}

// held answers for an action that another worker is at.
func (l *life) held(a *worker.JobAction, err error) harness.Report {
	var h *receipt.HeldError
	if !l.rules.ClaimIsNoProof && errors.As(err, &h) {
		return harness.Report{ActionID: a.ActionID, Outcome: harness.Done, Resource: h.Receipt.Resource}
	}
	return waits(a, harness.ForWorker)
}

func waits(a *worker.JobAction, what string) harness.Report {
	return harness.Report{ActionID: a.ActionID, Outcome: harness.Waiting, WaitsFor: what}
}

func refused(a *worker.JobAction, class, detail string) harness.Report {
	return harness.Report{ActionID: a.ActionID, Outcome: harness.Rejected, ErrorClass: class, Detail: detail}
}

// told reports a settled receipt, under the action ID that the delivery asked by.
func told(actionID string, r *receipt.Receipt) harness.Report {
	out := harness.Report{ActionID: actionID, Resource: r.Resource, ErrorClass: r.ErrorClass, Detail: r.Detail}
	switch r.State {
	case receipt.Confirmed:
		out.Outcome = harness.Done
	case receipt.Rejected:
		out.Outcome = harness.Rejected
	default:
		out.Outcome = harness.NeedsReview
	}
	return out
}
