package reference

import (
	"context"
	"errors"
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

// stepID names the receipt of an operation in a round: what was taken back is made anew,
// as a step of its own.
func (w *work) stepID(op string, round int) string {
	id := w.r.ActionID + ":" + op
	if round > 1 {
		id += ":" + strconv.Itoa(round)
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

// workOn begins work on a claimed receipt, which is then the work's: an action's, or that
// of one step of it.
func (l *life) workOn(r *receipt.Receipt) *work {
	w, next := &l.first, &l.room.next
	if l.begun {
		w, next = &work{}, &receipt.Receipt{}
	}
	l.begun, l.came = true, nil
	w.life, w.root, w.op = l, r.ActionID, harness.CreateOp
	w.r, w.next = r, next
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
	under := *c
	if c.Covered {
		// Who has an older approval, or one of the same intent under another ID, goes on
		// under the action's own, at each step too.
		under.Approval.ID, under.Approval.PolicyVersion, under.Delivery = w.r.ApprovalID, w.r.PolicyVersion, w.r.ApprovalDelivery
	}
	return w.makeSteps(ctx, under)
}

// makeSteps makes one step after the other. What is refused for good undoes the steps
// before it; what can not be told is a person's. An approval that came after the refusal
// leads on from there.
func (w *work) makeSteps(ctx context.Context, c receipt.Claim) error {
	for again := true; again; {
		var err error
		if again, err = w.makeRound(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

// makeRound does so once. again: everything was taken back, and a newer approval allows
// another round.
func (w *work) makeRound(ctx context.Context, c receipt.Claim) (again bool, err error) {
	if made, err := w.madeAll(ctx, &c); made || err != nil {
		return false, err
	}
	w.made, w.rounds = map[string]string{}, map[string]int{}
	resource := ""
	for i, s := range w.promises.Steps {
		at, err := w.roundOf(ctx, &c, i)
		if err != nil {
			return false, err
		}
		r, err := w.makeStep(ctx, c, s.Op, at.n, func(x *work) { x.covered, x.foreign, x.made, x.recovers = c.Covered, w.foreign, w.made, w.recovers })
		switch {
		case errors.Is(err, receipt.ErrNotApproved) && w.recovers:
			return false, errLeft
		case errors.Is(err, receipt.ErrNotApproved) && w.foreign:
			return false, errUncovered
		case errors.Is(err, receipt.ErrNotApproved):
			r = notApproved(s.Op)
		case err != nil:
			return false, err
		}
		switch r.State {
		case receipt.Confirmed:
			w.made[s.Op], w.rounds[s.Op] = r.Resource, at.n
			if resource == "" || s.Op == harness.CreateOp {
				resource = r.Resource
			}
		case receipt.Rejected:
			return w.takeBack(ctx, c, w.promises.Steps[:i], r)
		default:
			// Another worker may have made the last step meanwhile.
			if made, err := w.madeAll(ctx, &c); made || err != nil {
				return false, err
			}
			return false, w.inDoubt(ctx, s.Op+": "+r.Detail)
		}
		if at.back {
			// An earlier life began to take it back, and goes through with it.
			refused, err := w.refusal(ctx, i+1)
			if err != nil {
				return false, err
			}
			return w.takeBack(ctx, c, w.promises.Steps[:i+1], refused)
		}
	}
	return false, w.complete(ctx, resource)
}

// madeAll completes the action where the last step was made: it rests on all before it,
// and says more of them than their own records where one of those is missing.
func (w *work) madeAll(ctx context.Context, c *receipt.Claim) (bool, error) {
	last := len(w.promises.Steps) - 1
	op := w.promises.Steps[last].Op
	at, err := w.roundOf(ctx, c, last)
	if err != nil || at.back || op != harness.CreateOp {
		return false, err
	}
	r, _, err := w.stepReceipt(ctx, op, at.n)
	if err != nil || r.State != receipt.Confirmed {
		return false, err
	}
	return true, w.complete(ctx, r.Resource)
}

// complete settles the action as made.
func (w *work) complete(ctx context.Context, resource string) error {
	next := w.draft()
	next.Resource, next.Class = resource, harness.Confirmed
	return w.move(ctx, next, receipt.Confirmed)
}

// makeStep settles the receipt of one operation, under the action's claim and one of
// its own.
func (w *work) makeStep(ctx context.Context, c receipt.Claim, op string, round int, with func(*work)) (receipt.Receipt, error) {
	if err := w.write(ctx, w.draft()); err != nil {
		return receipt.Receipt{}, err
	}
	earlier := 0
	for k := 1; k < round; k++ {
		r, _, err := w.stepReceipt(ctx, op, k)
		if err != nil {
			return r, err
		}
		earlier += r.Attempt
	}
	id := w.stepID(op, round)
	// Its effect names the step too, or one step would look like another of the trigger.
	c.Effect += strings.TrimPrefix(id, w.r.ActionID)
	c.ActionID, c.Approval.SingleUse, c.Now = id, false, w.now()
	r, fresh, err := w.claim(ctx, &c)
	if err != nil {
		return *r, err
	}
	x := w.workOn(r)
	x.earlier = earlier
	with(x)
	if err := x.settle(ctx, fresh); err != nil {
		x.release(ctx)
		return *x.r, err
	}
	return *x.r, nil
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
