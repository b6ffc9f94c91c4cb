package reference

import (
	"context"
	"fmt"
	"strings"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/policy"
	"github.com/retrydrill/drill/harness/receipt"
	"github.com/retrydrill/drill/targets"
)

// heard records what an attempt came to and decides the next state.
func (w *work) heard(ctx context.Context, before *resting, out targets.Outcome) error {
	named := out.Class
	out.Class = w.classify(out)
	clear := before.state == receipt.Approved || !before.open || w.absent
	w.absent, w.inFlight = false, false
	next := w.draft()
	next.Status, next.Code, next.Class, next.NotBefore = out.Status, out.Code, out.Class, w.heed(out)
	if out.RequestID != "" {
		next.RequestID = out.RequestID
	}
	if out.Class == harness.NeverDispatched && w.moveAfter(out.Class) == policy.Automatic {
		return w.neverLeft(ctx, before, next, out)
	}
	w.sends++
	next.Ended.Add(out.Class)
	switch out.Class {
	case harness.Confirmed:
		next.Resource = out.Resource
		if w.moveAfter(out.Class).Sends() && w.more(next) {
			return w.move(ctx, next, before.state)
		}
		return w.move(ctx, next, receipt.Confirmed)
	case harness.RejectedTransient, harness.NeverDispatched:
		if move := w.moveAfter(out.Class); !move.Sends() {
			return w.follow(ctx, next, move, clear)
		}
		return w.move(ctx, next, before.state)
	case harness.RejectedPermanent:
		// Who may not ask again has it from the target that it is refused for good.
		if move := w.moveAfter(out.Class); move == policy.Reconcile && !w.exhaustedBy(next) || move == policy.Review || move == policy.Stored {
			return w.follow(ctx, next, move, clear)
		}
		return w.refusedForGood(ctx, before, next, out, named, clear)
	}
	w.inFlight = w.promises.Key.InFlight != 0 && out.Status == w.promises.Key.InFlight && out.Code == w.promises.Key.InFlightCode
	next.Key.Poisoned = next.Key.Poisoned || out.Replayed
	if w.undoes != "" && !w.rules.UndoForCertain {
		next.Resource = w.object
		return w.move(ctx, next, receipt.Confirmed)
	}
	if !w.rules.UnknownStaysOpen || !w.rules.UndoOnRefusalAlone && w.several() && w.undoes == "" {
		next.ErrorClass, next.Detail = string(harness.RejectedPermanent), "no answer"
		return w.move(ctx, next, receipt.Rejected)
	}
	return w.move(ctx, next, receipt.Unknown)
}

// neverLeft takes an attempt back: no byte of it can have arrived.
func (w *work) neverLeft(ctx context.Context, before *resting, next *receipt.Receipt, out targets.Outcome) error {
	next.Attempt, next.Key = before.attempt, before.key
	if err := w.move(ctx, next, before.state); err != nil {
		return err
	}
	if w.undispatched++; w.undispatched >= w.rules.Limits.Tries {
		return left(w.op, "the tries of this delivery are spent", out)
	}
	return nil
}

// refusedForGood settles a permanent rejection, unless the answer is not about this
// attempt: a failure of the past, or a refusal while an earlier attempt is open.
func (w *work) refusedForGood(ctx context.Context, before *resting, next *receipt.Receipt, out targets.Outcome, named harness.Class, clear bool) error {
	switch {
	case !w.rules.StopForGood && w.more(next):
		return w.move(ctx, next, before.state)
	case w.replaysThePast(out):
		// Where nothing can be looked at, a refusal that is kept proves by itself that all
		// that was sent under the key did nothing: the next key is begun.
		next.Key.Poisoned = w.promises.CanFind() || !w.keptRefusal(out)
		return w.move(ctx, next, receipt.Unknown)
	}
	// The policy may stop where the target would not: the class that it gave is kept.
	next.ErrorClass = string(named)
	next.Detail = strings.TrimSpace(fmt.Sprintf("the target answered %d %s", out.Status, out.Code))
	if !clear && !w.answersAll(out) && (w.rules.StopForGood || w.exhaustedBy(next)) {
		return w.move(ctx, next, receipt.Unknown)
	}
	return w.move(ctx, next, receipt.Rejected)
}

// answersAll reports whether a refusal is the answer to every attempt under its key:
// it is a replay, or will be replayed to what comes later. Where the target does not
// keep it, an earlier attempt that is still on its way may yet be let in.
func (w *work) answersAll(out targets.Outcome) bool { return out.Replayed || w.keptRefusal(out) }

// keptRefusal reports whether the target keeps a refusal under the key, which is not
// forgotten.
func (w *work) keptRefusal(out targets.Outcome) bool { return w.keyHolds() && w.keepsRefusal(out) }

// keepsRefusal reports whether the target keeps a refusal under the key for as long as it
// keeps the key.
func (w *work) keepsRefusal(out targets.Outcome) bool {
	k := &w.promises.Key
	return k.KeepsRefusal(out.Status) && (k.OtherCode == "" || out.Code != k.OtherCode)
}

// refusedInDoubt: the last attempt was refused for good while an earlier one was open.
// The receipt says why it will end, and only evidence ends it: nothing is sent again.
func (w *work) refusedInDoubt() bool { return w.r.State == receipt.Unknown && w.r.ErrorClass != "" }

// stop ends what was refused in doubt. Where absence is proven it was refused and
// nothing more; else what the target said is the evidence that a person is given.
func (w *work) stop(ctx context.Context) error {
	if w.absent {
		return w.reject(ctx, w.r.ErrorClass, w.r.Detail)
	}
	return w.review(ctx, w.r.Detail+", and nothing tells what became of the attempt before")
}
