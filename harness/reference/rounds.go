package reference

import (
	"context"
	"errors"
	"fmt"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/receipt"
)

// A step that was refused is asked for again as any action is: by its own receipt, under
// a newer approval and the key that it had. A step that was made and taken back is made
// anew, by a receipt and a key of the next round. What its receipts say, and nothing
// else, tells the rounds: a life that ends while something is taken back leaves behind
// how far that went.

// round is which making of a step is the current one.
type round struct {
	n int
	// back: it is being taken back, or was.
	back bool
}

// roundOf reads the round of the i-th step.
func (w *work) roundOf(ctx context.Context, c *receipt.Claim, i int) (round, error) {
	s := w.promises.Steps[i]
	for n := 1; s.Undo != ""; n++ {
		undo, begun, err := w.stepReceipt(ctx, s.Undo, n)
		if err != nil || !begun || undo.State != receipt.Confirmed {
			return round{n, begun}, err
		}
		_, anew, err := w.stepReceipt(ctx, s.Op, n+1)
		if err != nil || anew {
			continue
		}
		refused, err := w.refusal(ctx, i+1)
		if err != nil || !c.Newer(&refused) {
			return round{n, true}, err
		}
		return round{n: n + 1}, nil
	}
	return round{n: 1}, nil
}

// stepReceipt reads the receipt of an operation in a round.
func (w *work) stepReceipt(ctx context.Context, op string, n int) (r receipt.Receipt, is bool, err error) {
	r, err = w.store.Get(ctx, w.stepID(op, n))
	if errors.Is(err, receipt.ErrMissing) {
		return r, false, nil
	}
	return r, err == nil, err
}

// refusal is the receipt of the step for which those before it are taken back: the first
// one from there that was refused. Where there is none no approval covered it.
func (w *work) refusal(ctx context.Context, from int) (receipt.Receipt, error) {
	for _, s := range w.promises.Steps[from:] {
		for n := 1; ; n++ {
			r, is, err := w.stepReceipt(ctx, s.Op, n)
			if err != nil {
				return r, err
			}
			if !is {
				break
			}
			if r.State == receipt.Rejected {
				return r, nil
			}
		}
	}
	return notApproved(w.promises.Steps[min(from, len(w.promises.Steps)-1)].Op), nil
}

// notApproved stands for the receipt of a step that nothing covers.
func notApproved(op string) receipt.Receipt {
	return receipt.Receipt{State: receipt.Rejected, ErrorClass: harness.ApprovalMissing, Detail: "no valid approval covers " + op}
}

// takeBack undoes the steps that were made, the last first, and reports the refusal
// only once every undo is certain. again: a newer approval than the refused one allows to
// make them anew instead.
func (w *work) takeBack(ctx context.Context, c receipt.Claim, done []harness.Step, refused receipt.Receipt) (again bool, err error) {
	if !w.rules.UndoOnRefusal {
		done = nil
	}
	newer := c.Newer(&refused)
	for i := len(done) - 1; i >= 0; i-- {
		s := done[i]
		object := w.made[s.Op]
		if s.Undo == "" {
			return false, w.inDoubt(ctx, fmt.Sprintf("%s, and %s %s can not be taken back", refused.Detail, s.Op, object))
		}
		// The consent to do it covers taking it back.
		c.Covered = true
		r, err := w.makeStep(ctx, c, s.Undo, w.rounds[s.Op], func(x *work) { x.covered, x.undoes, x.object = true, s.Op, object })
		switch {
		case err != nil:
			return false, err
		case r.State != receipt.Confirmed:
			return false, w.inDoubt(ctx, fmt.Sprintf("%s, and %s of %s is %s: %s", refused.Detail, s.Undo, object, r.State, r.Detail))
		}
	}
	if newer {
		return true, nil
	}
	w.r.Status, w.r.Code, w.r.Class = refused.Status, refused.Code, refused.Class
	return false, w.reject(ctx, refused.ErrorClass, refused.Detail)
}
