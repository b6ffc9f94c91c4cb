package reference

import (
	"context"
	"errors"
	"fmt"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/receipt"
	"github.com/retrydrill/drill/targets"
)

// resolve decides an unknown outcome: by a look-up where there is one, by repeating
// under a kept key where that is harmless, else by handing it to a person.
func (w *work) resolve(ctx context.Context) error {
	switch {
	case w.rules.Reconcile:
	case w.refusedInDoubt():
		return w.stop(ctx)
	default:
		return w.send(ctx)
	}
	if !w.rules.AskTarget && leavesOpen(w.r) {
		return w.review(ctx, "the outcome is unknown")
	}
	if w.promises.CanFind() {
		found, err := w.look(ctx)
		if err != nil {
			return err
		}
		settled, err := w.compare(ctx, found)
		if settled || err != nil {
			return err
		}
		if w.grewOld() {
			return w.lookAnew()
		}
	}
	switch {
	case w.refusedInDoubt():
		return w.stop(ctx)
	case w.recovers:
		return errLeft
	case !w.absent && !w.keyHolds() && w.missing:
		return w.review(ctx, "this is not the first delivery, no receipt tells what the earlier ones did, and neither a look-up nor a kept key can")
	// With no open attempt on record and nothing found there is no doubt to hand on.
	case !w.absent && !w.keyHolds() && leavesOpen(w.r):
		return w.review(ctx, "neither a look-up nor a kept key can tell what became of the request")
	case w.exhausted():
		return w.spent(ctx)
	case w.foreign:
		return errUncovered
	case !w.covered && w.absent:
		return w.reject(ctx, harness.ApprovalMissing, "nothing was done, and no valid approval covers another attempt")
	case !w.covered:
		return w.review(ctx, "the outcome is unknown, and no valid approval covers another attempt")
	}
	return w.send(ctx)
}

// errUncovered ends the work on a receipt that another request is needed for, where the
// delivery brought no approval and the receipt has one that another delivery brings.
var errUncovered = errors.New("left to the delivery that brings the receipt's approval")

// grewOld reports whether the proof of absence is older than a lease, or was overtaken by
// the end of ours: whoever stood still for so long knows of a time before, in which what
// was given up may have arrived and another worker may have sent.
func (w *work) grewOld() bool {
	now := w.now()
	return w.absent && w.rules.OldProofIsNoProof && (!now.Before(w.r.LeaseUntil) || now.Sub(w.looked) >= w.env.Lease)
}

// lookAnew leaves the decision to another look-up, to a bound.
func (w *work) lookAnew() error {
	w.absent = false
	if w.stood++; w.stood >= w.rules.Limits.Tries {
		return left("find", "what the look-ups tell is too old each time", targets.Outcome{Class: harness.Unknown})
	}
	return nil
}

// leavesOpen reports whether the record tells of an attempt that was not refused.
func leavesOpen(r *receipt.Receipt) bool {
	return r.Attempt > r.Ended.Of(harness.RejectedTransient)+r.Ended.Of(harness.RejectedPermanent)
}

// compare holds what the look-up found against what was approved. It reports
// whether that settled the receipt; if not, it notes whether absence is proven.
func (w *work) compare(ctx context.Context, found []targets.Object) (settled bool, err error) {
	if w.undoes != "" {
		return w.compareUndo(ctx, found)
	}
	found, strange := w.standing(found)
	switch {
	case strange != "":
		return true, w.review(ctx, strange)
	case !w.rules.OwnEffects && len(found) > 0:
		return true, w.confirm(ctx, found[0])
	case w.promises.Reference == "":
		return w.compareNameless(ctx, found)
	}
	var ours targets.Object
	n := 0
	for _, o := range found {
		if o.Reference == w.root {
			ours, n = o, n+1
		}
	}
	switch {
	case n > 1:
		return true, w.review(ctx, fmt.Sprintf("%d effects carry this action's reference", n))
	case n == 1 && ours.Arguments != w.wanted():
		return true, w.review(ctx, fmt.Sprintf("%s carries this action's reference and other arguments", ours.Resource))
	case n == 1:
		return true, w.confirm(ctx, ours)
	case len(found) > 0 && w.promises.UniqueNames:
		return true, w.review(ctx, fmt.Sprintf("%s is somebody else's and has this action's name", found[0].Resource))
	}
	w.absent = w.promises.Lookup.Authoritative && !w.inFlight
	return false, nil
}

// confirm settles the receipt with the effect that a look-up found.
func (w *work) confirm(ctx context.Context, o targets.Object) error {
	next := w.draft()
	next.Resource, next.Class = o.Resource, harness.Confirmed
	next.ErrorClass, next.Detail = "", ""
	return w.move(ctx, next, receipt.Confirmed)
}

// compareNameless is compare at a target that stamps no reference: what looks like
// ours may be a stranger's, so that a look-up can prove absence alone. A kept key
// can still tell, by being repeated.
func (w *work) compareNameless(ctx context.Context, found []targets.Object) (settled bool, err error) {
	want := w.wanted()
	for _, o := range found {
		if o.Arguments != want && !w.promises.UniqueNames {
			continue
		}
		if w.keyHolds() {
			return false, nil
		}
		return true, w.review(ctx, fmt.Sprintf("nothing tells whose effect %s is", o.Resource))
	}
	w.absent = w.promises.Lookup.Authoritative && !w.inFlight
	return false, nil
}
