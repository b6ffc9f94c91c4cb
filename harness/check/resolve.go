package check

import (
	"time"

	"github.com/retrydrill/drill/harness"
)

// resolves lets an answer that left for a worker take out what it tells of: the
// attempt itself if the answer is definite; under a kept key also every earlier
// attempt, if the answer is that of the action rather than a transient refusal or
// a complaint about the key.
func (v *View) resolves(o *outstanding, a *attempt) {
	if !a.class.Definite() || a.unheard {
		return
	}
	o.closes(a)
	if a.resends != nil {
		// The answer is that of the call, however often the transport sent it.
		o.closes(a.resends)
	}
	if v.tellsOfKey(a) {
		o.closeKey(a.Key)
	}
}

// tellsOfKey reports whether the answer is that of everything sent under the key. A
// refusal is only where the target keeps it: else an earlier attempt that is still on
// its way may be let in after it.
func (v *View) tellsOfKey(a *attempt) bool {
	if a.Key == "" || !v.dedups {
		return false
	}
	k := &v.promises.Key
	if a.class == harness.RejectedPermanent {
		kept := a.passed.Replayed || k.KeepsRefusal(a.passed.Status)
		return kept && (k.OtherCode == "" || a.passed.Code != k.OtherCode)
	}
	return a.class == harness.Confirmed
}

// grace is how far a worker's clock and the tap's may be apart: 2 %, at least 5 ms.
func grace(d time.Duration) time.Duration { return max(d/50, 5*time.Millisecond) }

// expired reports whether a worker may take a key for forgotten: its first use was
// longer ago than the retention. A tenth is in the worker's favour, since it counts
// from before its request left.
func (v *View) expired(first, now harness.Duration) bool {
	r := v.promises.Key.Retention.D()
	return r > 0 && (now-first).D() >= r-r/10
}

// harmless reports whether a repeat under the key, first used at the given time,
// can not make a second effect.
func (v *View) harmless(key string, first, now harness.Duration) bool {
	after := (now - first).D()
	if r := v.promises.Key.Retention.D(); r > 0 && after >= r {
		after = max(0, after-grace(r))
	}
	return v.promises.RepeatHarmless(key, after)
}
