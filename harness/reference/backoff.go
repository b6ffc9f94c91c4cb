package reference

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/policy"
	"github.com/retrydrill/drill/targets"
)

// await waits until the target may be asked: for what it asked for itself, and
// where this life has asked before, for a back-off that doubles.
func (w *work) await(ctx context.Context, step string, again bool) error {
	var d time.Duration
	if again {
		d = w.backoff()
	}
	if w.policy.Limits.IgnoreRetryAfter {
		return w.pause(ctx, d)
	}
	var asked time.Duration
	if until := later(w.r.NotBefore, w.notBefore); !until.IsZero() {
		asked = until.Sub(w.now())
	}
	if asked > w.rules.Limits.MaxWait {
		return left(step, "the target asks to wait longer than a delivery may", targets.Outcome{Class: w.r.Class})
	}
	return w.pause(ctx, max(d, asked))
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// backoff draws the next pause.
func (w *work) backoff() time.Duration {
	w.pauses++
	l := w.policy.Limits
	l.Backoff.Initial, l.Backoff.Max = w.rules.Limits.Backoff, w.rules.Limits.MaxBackoff
	return l.Wait(w.pauses, 0, rand.New(&w.rng).Float64())
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

// errNoAnswer stands where there was an answer and no error below it.
var errNoAnswer = errors.New("the target answered")

// left is the error for a bound of this delivery.
func left(step, why string, out targets.Outcome) error {
	class := out.Class
	if class == "" {
		class = harness.Unknown
	}
	return &UnsettledError{Step: step, Class: class, Why: why, Err: &policy.Error{Class: class, Err: cmp.Or(out.Err, errNoAnswer)}}
}
