package reference

import (
	"fmt"
	"time"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/receipt"
	"github.com/retrydrill/drill/targets"
)

// key returns the key of the current generation: the action ID, of later ones with
// their number.
func (w *work) key() string {
	switch {
	case !w.rules.SendKey:
		return ""
	case !w.rules.OneKey:
		return fmt.Sprintf("%016x%016x", w.rng.Uint64(), w.rng.Uint64())
	}
	return w.r.KeyText()
}

// keyHolds reports whether a repeat under the key can not make a second effect and
// can still tell what became of the first.
func (w *work) keyHolds() bool {
	k := &w.promises.Key
	return w.rules.SendKey && k.Dedups() && !w.r.Key.Poisoned && !w.keyForgotten()
}

// keyForgotten reports whether the key may have outlived its retention by the time
// that a request arrives. A clock that was set back behind the key's first use does
// not tell its age.
func (w *work) keyForgotten() bool {
	since, kept := w.r.Key.Since, w.env.KeyRetention
	if kept <= 0 || since.IsZero() {
		return false
	}
	arrives := w.now().Add(w.env.ClientDeadline)
	return arrives.Sub(since) >= kept || arrives.Before(since)
}

// refusedCleanly reports whether the key holds a refusal that a new approval asks to
// try again, at a target that can not be looked at: the refusal was heard, and either
// nothing before it was ever in doubt, or it is still kept as the answer to that too, so
// that nothing was done under the key. A refusal that the target does not keep (401)
// leaves the key free: it stays the key, since a late copy of the refused request may
// have been let in under it meanwhile.
func (w *work) refusedCleanly() bool {
	k, p := &w.r.Key, &w.promises
	return !p.CanFind() && p.Key.KeepsRefusal(w.r.Status) && w.r.Class == harness.RejectedPermanent &&
		(w.r.Last(receipt.Unknown).IsZero() || w.keyHolds()) && k.ApprovalID != "" && k.ApprovalID != w.r.ApprovalID
}

// sentKey returns the key as it is recorded when a request leaves: where absence
// was proven, a poisoned key gives way to the next generation and a forgotten one
// begins anew. One that was used under another approval begins nothing anew, as it may
// hold a refusal, heard or not: where it may be forgotten and may not, it stays as it is,
// so that a replay is known for one of the past; once it must be forgotten it gives way,
// since a target may keep it for longer than it promised, and the refusal is not the
// answer to what was approved since.
func (w *work) sentKey(now time.Time) receipt.Key {
	k := w.r.Key
	past := k.ApprovalID != "" && k.ApprovalID != w.r.ApprovalID
	if w.absent && (k.Poisoned || past && w.keyExpired(now)) || w.refusedCleanly() {
		k = receipt.Key{Generation: k.Generation + 1}
	}
	if k.Since.IsZero() || w.absent && w.keyForgotten() && !past {
		k.Since, k.ApprovalID = now, w.r.ApprovalID
	}
	return k
}

// keyExpired reports whether the key has outlived its retention, also where the request
// that used it last was the first to the target, and arrived as late as a request may.
func (w *work) keyExpired(now time.Time) bool {
	since, kept := later(w.r.Key.Since, w.r.Last(receipt.Sent)), w.env.KeyRetention
	return kept > 0 && !since.IsZero() && (now.Sub(since) >= kept+w.env.ClientDeadline || now.Before(since))
}

// replaysThePast reports whether an answer tells of a failure from before the
// current approval: the key still holds it, or holds other arguments. Where the target
// does not say which of its answers are replays, a refusal that it keeps may be one.
func (w *work) replaysThePast(out targets.Outcome) bool {
	k := &w.promises.Key
	mismatch := k.OtherCode != "" && out.Code == k.OtherCode
	may := !k.Marked && w.keepsRefusal(out)
	return (out.Replayed || mismatch || may) && w.r.Key.ApprovalID != w.r.ApprovalID
}
