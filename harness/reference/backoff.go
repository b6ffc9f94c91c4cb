package reference

import (
	"context"
	"time"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/targets"
)

// await waits until the target may be asked: for what it asked for itself, and
// where this life has asked before, for a back-off that doubles.
func (w *work) await(ctx context.Context, step string, again bool) error {
	var d time.Duration
	if again {
		d = w.backoff()
	}
	asked := max(w.r.NotBefore.Sub(w.now()), w.notBefore.Sub(w.now()))
	if asked > w.rules.Limits.MaxWait {
		return &UnsettledError{Step: step, Class: w.r.Class, Why: "the target asks to wait longer than a delivery may"}
	}
	return w.pause(ctx, max(d, asked))
}

// backoff draws the next pause: full jitter over a ceiling that doubles.
func (w *work) backoff() time.Duration {
	l := w.rules.Limits
	ceiling := min(l.Backoff<<min(w.pauses, 16), l.MaxBackoff)
	w.pauses++
	return time.Duration(w.rng.Int64N(int64(ceiling) + 1))
}

// heed notes how long the target wants to be left alone.
func (w *work) heed(out targets.Outcome) time.Time {
	if out.RetryAfter <= 0 {
		return time.Time{}
	}
	until := w.now().Add(out.RetryAfter)
	if until.After(w.notBefore) {
		w.notBefore = until
	}
	return until
}

// left is the error for a bound of this delivery.
func left(step, why string, out targets.Outcome) error {
	class := out.Class
	if class == "" {
		class = harness.Unknown
	}
	return &UnsettledError{Step: step, Class: class, Why: why, Err: out.Err}
}
