package reference

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/receipt"
)

// An effect of several parts is made step by step, and each step, also one that is
// taken back, is an action of its own to the receipts: with a state of its own that is
// durable before its request leaves, a key of its own (action ID, ":", operation) and
// a look-up of its own. The action's receipt is claimed throughout and settled last.

// several reports whether this target's effects are made in several steps.
func (x *executor) several() bool { return len(x.promises.Steps) > 1 }

// stepID names the receipt of an operation. A new approval after a rejection makes
// its steps anew, since those of before may have been taken back.
func (w *work) stepID(op string) string {
	id, round := w.r.ActionID+":"+op, 0
	for i, e := range w.r.History {
		if e.State == receipt.Approved && i > 0 && w.r.History[i-1].State == receipt.Rejected {
			round++
		}
	}
	if round > 0 {
		id += ":" + strconv.Itoa(round+1)
	}
	return id
}

// stepOf reads what stepID wrote.
func (x *executor) stepOf(id string) (action, op string, is bool) {
	if !x.several() {
		return "", "", false
	}
	for _, s := range x.promises.Steps {
		for _, op := range []string{s.Op, s.Undo} {
			i := strings.LastIndex(id, ":"+op)
			if op == "" || i < 0 {
				continue
			}
			rest := id[i+1+len(op):]
			_, err := strconv.Atoi(strings.TrimPrefix(rest, ":"))
			if rest == "" || rest[0] == ':' && err == nil {
				return id[:i], op, true
			}
		}
	}
	return "", "", false
}

// workOn begins work on a claimed receipt: an action's, or that of one step of it.
func (l *life) workOn(r *receipt.Receipt) *work {
	w := &l.first
	if l.begun {
		w = &work{}
	}
	l.begun = true
	w.life, w.r, w.root, w.op = l, *r, r.ActionID, harness.CreateOp
	if action, op, is := l.stepOf(r.ActionID); is {
		w.root, w.op = action, op
	}
	return w
}

// settleAll settles the receipt of an action, by its steps where it has several.
func (w *work) settleAll(ctx context.Context, c *receipt.Claim, fresh bool) error {
	if !w.several() || w.r.State.Settled() {
		return w.settle(ctx, fresh)
	}
	if w.r.State == receipt.Approved {
		if err := w.to(ctx, receipt.Sent); err != nil {
			return err
		}
	}
	return w.makeSteps(ctx, *c)
}

// makeSteps makes one step after the other. What is refused for good undoes the steps
// before it; what can not be told is a person's.
func (w *work) makeSteps(ctx context.Context, c receipt.Claim) error {
	made := map[string]string{}
	resource := ""
	for i, s := range w.promises.Steps {
		r, err := w.makeStep(ctx, c, s.Op, func(x *work) { x.covered, x.foreign, x.made, x.recovers = c.Covered, w.foreign, made, w.recovers })
		switch {
		case errors.Is(err, receipt.ErrNotApproved) && w.recovers:
			return errLeft
		case errors.Is(err, receipt.ErrNotApproved) && w.foreign:
			return errUncovered
		case errors.Is(err, receipt.ErrNotApproved):
			r.State, r.ErrorClass, r.Detail = receipt.Rejected, harness.ApprovalMissing, "no valid approval covers "+s.Op
		case err != nil:
			return err
		}
		switch r.State {
		case receipt.Confirmed:
			made[s.Op] = r.Resource
			if resource == "" || s.Op == harness.CreateOp {
				resource = r.Resource
			}
		case receipt.Rejected:
			return w.takeBack(ctx, c, w.promises.Steps[:i], made, r)
		default:
			return w.inDoubt(ctx, s.Op+": "+r.Detail)
		}
	}
	next := w.draft()
	next.Resource, next.Class = resource, harness.Confirmed
	return w.write(ctx, next.Move(receipt.Confirmed, w.now()))
}

// makeStep settles the receipt of one operation, under the action's claim and one of
// its own.
func (w *work) makeStep(ctx context.Context, c receipt.Claim, op string, with func(*work)) (receipt.Receipt, error) {
	if err := w.write(ctx, w.draft()); err != nil {
		return receipt.Receipt{}, err
	}
	id := w.stepID(op)
	// Its effect names the step too, or one step would look like another of the trigger.
	c.Effect += strings.TrimPrefix(id, w.r.ActionID)
	c.ActionID, c.Approval.SingleUse, c.Now = id, false, w.now()
	r, fresh, err := w.claim(ctx, &c)
	if err != nil {
		return *r, err
	}
	x := w.workOn(r)
	with(x)
	if err := x.settle(ctx, fresh); err != nil {
		x.release(ctx)
		return x.r, err
	}
	return x.r, nil
}

// inDoubt leaves the action to a person.
func (w *work) inDoubt(ctx context.Context, why string) error {
	if w.r.State != receipt.Unknown {
		if err := w.to(ctx, receipt.Unknown); err != nil {
			return err
		}
	}
	return w.review(ctx, why)
}

// takeBack undoes the steps that were made, the last first, and reports the refusal
// only once every undo is certain.
func (w *work) takeBack(ctx context.Context, c receipt.Claim, done []harness.Step, made map[string]string, refused receipt.Receipt) error {
	if !w.rules.UndoOnRefusal {
		done = nil
	}
	for i := len(done) - 1; i >= 0; i-- {
		s := done[i]
		if s.Undo == "" {
			return w.inDoubt(ctx, fmt.Sprintf("%s, and %s %s can not be taken back", refused.Detail, s.Op, made[s.Op]))
		}
		// The consent to do it covers taking it back.
		c.Covered = true
		r, err := w.makeStep(ctx, c, s.Undo, func(x *work) { x.covered, x.undoes, x.object = true, s.Op, made[s.Op] })
		switch {
		case err != nil:
			return err
		case r.State != receipt.Confirmed:
			return w.inDoubt(ctx, fmt.Sprintf("%s, and %s of %s is %s: %s", refused.Detail, s.Undo, made[s.Op], r.State, r.Detail))
		}
	}
	w.r.Status, w.r.Code, w.r.Class = refused.Status, refused.Code, refused.Class
	return w.reject(ctx, refused.ErrorClass, refused.Detail)
}

// undoing reports whether the receipt is that of an undo.
func (x *executor) undoing(id string) bool {
	_, op, _ := x.stepOf(id)
	for _, s := range x.promises.Steps {
		if s.Undo == op && op != "" {
			return true
		}
	}
	return false
}
