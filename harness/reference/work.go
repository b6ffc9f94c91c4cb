package reference

import (
	"context"
	"time"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/receipt"
	"github.com/retrydrill/drill/targets"
)

// work is one claimed action on its way to a settled receipt.
type work struct {
	*life
	// r is the receipt as it is stored, next the room for the one that is to be; they take
	// turns.
	r, next *receipt.Receipt
	// root is the ID of the action that it is, or is a step of, and op what is sent.
	root, op string
	// made are the objects of the steps before, rounds their rounds.
	made   map[string]string
	rounds map[string]int
	// earlier counts the attempts at the step in earlier rounds.
	earlier int
	// undoes is the step whose object is taken back; empty where something is made.
	undoes, object string
	// covered: the delivery's approval allows another request.
	covered bool
	// foreign: it brought another approval than the receipt's, and one that covers nothing:
	// it says nothing of what the receipt was approved by.
	foreign bool
	// absent: a look-up after the last attempt proved that nothing is there. looked is when
	// the last look-up began, stood how often what it told was too old to act on.
	absent bool
	looked time.Time
	stood  int
	// rested: the wait before the next request was sat out.
	rested bool
	// missing: earlier lives may have sent, and what they recorded is not there.
	missing bool
	// recovers: no delivery brought the action, and so no approval.
	recovers bool
	// inFlight: the target said that the first request is still at work.
	inFlight bool
	// sends and undispatched count this life's requests; pauses its back-offs.
	sends, undispatched, pauses int
}

// settle takes step after step until the receipt is settled.
func (w *work) settle(ctx context.Context, fresh bool) error {
	if w.r.State == receipt.Approved && w.mayBeOutElsewhere(fresh) {
		if err := w.to(ctx, receipt.Unknown); err != nil {
			return err
		}
	}
	if err := w.missEvidence(ctx, fresh); err != nil {
		return err
	}
	for !w.r.State.Settled() {
		if err := w.step(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (w *work) step(ctx context.Context) error {
	switch w.r.State {
	case receipt.Sent:
		// An earlier life wrote this and was not heard of again.
		return w.to(ctx, receipt.Unknown)
	case receipt.Unknown:
		return w.resolve(ctx)
	default:
		return w.send(ctx)
	}
}

// request is what is sent for the receipt under a key.
func (w *work) request(key string) targets.Write {
	out := targets.Write{Key: key, ActionID: w.root, BusinessKey: w.r.BusinessKey, Made: w.made, Arguments: w.r.Arguments}
	if n := w.normalised(); n != nil {
		out.Arguments, out.Normal = n.Arguments, n
	}
	return out
}

// normalised is what the profile made of the receipt's arguments, where they are those of
// the action at hand.
func (w *work) normalised() *targets.Normalised {
	if n := w.normal; n != nil && n.Digest == w.r.Digest {
		return n
	}
	return nil
}

// dispatch lets the request leave, once.
func (w *work) dispatch(ctx context.Context, key string) targets.Outcome {
	w.rested = false
	if w.undoes != "" {
		out := w.target.Undo(ctx, w.op, w.object, targets.Write{Key: key})
		out.Resource = w.object
		return out
	}
	return w.target.Do(ctx, w.op, w.request(key))
}

// wanted is the digest of the arguments as the profile reads them at this step.
func (w *work) wanted() string {
	if n := w.normalised(); n != nil && n.Read(w.op) != "" {
		return n.Read(w.op)
	}
	n := w.profile.Namer()
	if d, ok := n.Digests(w.r.Arguments)[w.op]; ok {
		return d
	}
	return n.Digest(w.r.Arguments)
}

// mayBeOutElsewhere: a missing receipt, or an old one, does not say that nothing was
// sent: what came after may be lost. Where a kept key would not stop the repeat, or
// somebody was at it before and the key may be forgotten, a look-up goes first. One that
// proves no absence is still asked where nothing else would stop a repeat, at the first
// delivery too: the trigger may be another one's repeat, and what it finds is there.
func (w *work) mayBeOutElsewhere(fresh bool) bool {
	p, again := &w.promises, w.job.Delivery > 1
	switch sure := p.Lookup.Authoritative; {
	case !w.rules.Reconcile || !w.rules.MissingIsNoProof || !p.CanFind():
		return false
	case fresh:
		return sure && again || !p.Key.Kept
	default:
		return sure && w.begunBefore() || !p.Key.Kept || w.outlivesKeys()
	}
}

// begunBefore reports whether an earlier life began on what is approved, and the record
// tells of nothing that came of it.
func (w *work) begunBefore() bool {
	h := w.r.History
	if len(h) < 2 {
		return false
	}
	last, before := h[len(h)-1], h[len(h)-2].State
	return last.State == receipt.Approved && (before == receipt.Prepared || before == receipt.Rejected) && last.At.Before(w.claimed.Now)
}

// outlivesKeys reports whether a key that was first sent when the receipt was made
// may be forgotten by the time that a request arrives.
func (w *work) outlivesKeys() bool {
	kept := w.env.KeyRetention
	return kept > 0 && len(w.r.History) > 0 && w.now().Add(w.env.ClientDeadline).Sub(w.r.History[0].At) >= kept
}

// to moves the receipt to a state.
func (w *work) to(ctx context.Context, s receipt.State) error {
	return w.move(ctx, w.draft(), s)
}

// move stores the next receipt in a state.
func (w *work) move(ctx context.Context, next *receipt.Receipt, s receipt.State) error {
	now := w.now()
	return w.writeAt(ctx, next.Move(s, now), now)
}

// draft is the receipt as it is stored, to be changed and written. There is one at a
// time.
func (w *work) draft() *receipt.Receipt {
	*w.next = *w.r
	return w.next
}

// write stores the next receipt and renews the lease with it. What is known is
// written even if the caller has given up.
func (w *work) write(ctx context.Context, next *receipt.Receipt) error {
	return w.writeAt(ctx, next, w.now())
}

// writeAt is write at a time that is known.
func (w *work) writeAt(ctx context.Context, next *receipt.Receipt, now time.Time) error {
	if !next.State.Settled() {
		next.Lease(now, w.env.Lease)
	}
	if err := w.store.Put(w.lasting(ctx), w.r.State, next); err != nil {
		// It may be stored all the same: whatever is written next is not written over it.
		w.r.Unshare()
		return err
	}
	w.r, w.next = next, w.r
	return nil
}

// reject and review settle the receipt with the reason.
func (w *work) reject(ctx context.Context, class, detail string) error {
	return w.end(ctx, receipt.Rejected, class, detail)
}

func (w *work) review(ctx context.Context, detail string) error {
	return w.end(ctx, receipt.NeedsReview, harness.Ambiguous, detail)
}

func (w *work) end(ctx context.Context, s receipt.State, class, detail string) error {
	next := w.draft()
	next.ErrorClass, next.Detail = class, detail
	return w.move(ctx, next, s)
}

// release gives the lease back, so that the next delivery need not wait for its
// end. A lease that was lost meanwhile is not ours to give.
func (w *work) release(ctx context.Context) {
	if w.r.State.Settled() {
		return
	}
	free := w.draft()
	free.Release()
	if err := w.store.Put(w.lasting(ctx), w.r.State, free); err != nil {
		w.env.Log.Debug("lease not given back", "action", w.r.ActionID, "error", err)
	}
}

// hold renews the lease if it would run out before one more call is over.
func (w *work) hold(ctx context.Context) error {
	if w.r.LeaseUntil.Sub(w.now()) > w.env.ClientDeadline {
		return nil
	}
	return w.write(ctx, w.draft())
}

// pause waits, and keeps the lease meanwhile.
func (w *work) pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	for until := w.now().Add(d); ; {
		left := until.Sub(w.now())
		if left <= 0 {
			return nil
		}
		if half := w.env.Lease / 2; half > 0 && left > half {
			left = half
		}
		if err := w.env.Clock.Sleep(ctx, left); err != nil {
			return err
		}
		if w.r.LeaseUntil.Sub(w.now()) < w.env.Lease/2 {
			if err := w.write(ctx, w.draft()); err != nil {
				return err
			}
		}
	}
}
