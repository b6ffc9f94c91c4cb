package reference

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/receipt"
	"github.com/retrydrill/drill/targets"
)

// send makes one attempt. The receipt says "sent" before the request leaves; that
// write is also the fence, since a worker that was taken over can not make it.
func (w *work) send(ctx context.Context) error {
	limits := w.rules.Limits
	if w.recovers {
		return errLeft
	}
	if w.exhausted() {
		return w.spent(ctx)
	}
	if w.sends >= limits.PerLife {
		return left(w.op, "the requests of this delivery are spent", targets.Outcome{Class: w.r.Class})
	}
	if err := w.await(ctx, w.op, w.sends+w.undispatched > 0 && !w.rested); err != nil {
		return err
	}
	w.rested = true
	if w.exhausted() {
		// The budget of time ran out in the wait.
		return w.spent(ctx)
	}
	if w.rules.Reconcile && w.r.State == receipt.Unknown && w.grewOld() {
		return w.lookAnew()
	}
	if w.rules.Reconcile && w.r.State == receipt.Unknown && leavesOpen(w.r) && !w.absent && !w.keyHolds() {
		// The key was forgotten in the wait: what it allowed is decided anew.
		return nil
	}
	before := w.before()
	sent, now := w.draft(), w.now()
	sent.Attempt++
	sent.Key = w.sentKey(now)
	if !w.rules.RecordFirst {
		return w.sendUnrecorded(ctx, &before, sent)
	}
	if err := w.writeAt(ctx, sent.Move(receipt.Sent, now), now); err != nil {
		return err
	}
	if !w.now().Before(w.r.LeaseUntil) {
		return fmt.Errorf("%w: the lease ran out between the record and the request", receipt.ErrStale)
	}
	out := w.dispatch(ctx, w.key())
	if w.env.Log.Enabled(ctx, slog.LevelDebug) {
		w.env.Log.LogAttrs(ctx, slog.LevelDebug, w.op, slog.String("action", w.root), slog.Int("attempt", w.r.Attempt), slog.String("class", string(out.Class)),
			slog.Int("status", out.Status), slog.String("code", out.Code))
	}
	if ctx.Err() != nil && !out.Class.Definite() {
		// The caller gave up. What is stored says enough: sent, and not heard of.
		return left(w.op, "the caller gave up", out)
	}
	return w.heard(ctx, &before, out)
}

// resting is how a receipt stands when nothing of the next attempt is out. An attempt
// that did nothing leads back there, since an earlier one may still be open.
type resting struct {
	state   receipt.State
	attempt int
	key     receipt.Key
	// open: the record tells of an attempt that was not refused.
	open bool
}

func (w *work) before() resting {
	return resting{w.r.State, w.r.Attempt, w.r.Key, leavesOpen(w.r)}
}

// sendUnrecorded is what a careless executor does: it records the attempt once it
// heard what became of it.
func (w *work) sendUnrecorded(ctx context.Context, before *resting, sent *receipt.Receipt) error {
	out := w.dispatch(ctx, w.key())
	if err := w.move(ctx, sent, receipt.Sent); err != nil {
		return err
	}
	return w.heard(ctx, before, out)
}

// spent ends an action whose attempts are used up.
func (w *work) spent(ctx context.Context) error {
	if w.r.State == receipt.Unknown && leavesOpen(w.r) && !w.absent && !w.refusedCleanly() {
		return w.review(ctx, fmt.Sprintf("%d attempts are spent and nothing proves what became of the last one", w.r.Attempt))
	}
	return w.reject(ctx, harness.AttemptsSpent, fmt.Sprintf("%d attempts are spent and nothing was done", w.r.Attempt))
}
