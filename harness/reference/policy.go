package reference

import (
	"context"
	_ "embed"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/policy"
	"github.com/retrydrill/drill/harness/receipt"
	"github.com/retrydrill/drill/targets"
)

// DefaultPolicy is the document that the reference executor follows where it is given
// none.
//
//go:embed policy.yaml
var DefaultPolicy []byte

// defaultPolicy is [DefaultPolicy], read once.
var defaultPolicy = sync.OnceValues(func() (policy.Policy, error) { return policy.Parse("policy.yaml", DefaultPolicy) })

// lastPolicy is the one that was read last: the lives of a trial follow the same one,
// and so do most trials of a search, which are over sooner than a document is read.
var lastPolicy struct {
	sync.Mutex
	text string
	is   policy.Policy
}

// policyOf reads the policy that the surroundings give, or the default one. What it
// returns is not to be changed.
func policyOf(text string) (policy.Policy, error) {
	if text == "" {
		return defaultPolicy()
	}
	l := &lastPolicy
	l.Lock()
	defer l.Unlock()
	if l.text == text {
		return l.is, nil
	}
	p, err := policy.Parse("policy", []byte(text))
	if err == nil {
		l.text, l.is = text, p
	}
	return p, err
}

// under lets a policy decide what rules leave to it. It can take a rule away, as a
// document can be written that is unsafe, and gives none back to a twin that lacks it.
func (r Rules) under(p policy.Policy) Rules {
	l := p.Limits
	r.Limits.Attempts, r.Limits.Backoff, r.Limits.MaxBackoff = l.Attempts, l.Backoff.Initial, l.Backoff.Max
	r.Limits.PerLife = max(1, min(r.Limits.PerLife, l.Attempts))
	if l.Attempts == 0 {
		r.Limits.PerLife = Careful().Limits.PerLife
	}
	switch p.Moves[harness.Unknown] {
	case policy.Automatic, policy.Bounded:
		r.Reconcile = false
	case policy.Stop:
		r.UnknownStaysOpen = false
	case policy.Review, policy.Stored:
		r.AskTarget = false
	}
	if p.Moves[harness.RejectedPermanent].Sends() {
		r.StopForGood = false
	}
	return r
}

// policyName is the policy's name for what the client calls otherwise.
func policyName(unanswered string) string {
	switch {
	case strings.HasPrefix(unanswered, "tls-"):
		return "tls"
	case unanswered == "name":
		return "dns"
	}
	return unanswered
}

// classify makes a class stricter where the policy does.
func (x *executor) classify(out targets.Outcome) harness.Class {
	switch {
	case out.Class == harness.NeverDispatched && out.Err != nil:
		name := policyName(targets.UnansweredName(out.Err))
		if _, known := policy.FindMishap(name); known {
			return x.policy.WithoutAnswer(name)
		}
	case out.Status != 0 && (out.Err == nil || errors.Is(out.Err, targets.ErrShape)):
		return x.policy.OfAnswer(x.promises, out.Status, harness.Answered{Code: out.Code, Opaque: out.Err != nil})
	}
	return out.Class
}

// moveAfter is what the policy does after an attempt that ended in a class.
func (x *executor) moveAfter(c harness.Class) policy.Move { return x.policy.Moves[c] }

// exhausted reports whether the policy allows no further attempt: after so many in
// all, so many that ended in this class, or so long after the first.
func (w *work) exhausted() bool { return w.exhaustedBy(w.r) }

func (w *work) exhaustedBy(r *receipt.Receipt) bool {
	l := w.policy.Limits
	l.Attempts = w.rules.Limits.Attempts
	inClass, unheard, since := 0, 0, time.Duration(0)
	if len(l.PerClass) > 0 {
		// What was sent by a life that ended came to nothing that is known.
		inClass, unheard = r.Ended.Of(r.Class), r.Attempt-r.Ended.All()
	}
	if l.Budget > 0 {
		since = w.sinceFirst(r)
	}
	attempts := w.earlier + r.Attempt
	return l.Spent(r.Class, attempts, inClass, since) ||
		unheard > 0 && l.Spent(harness.Unknown, attempts, r.Ended.Of(harness.Unknown)+unheard, since)
}

// sinceFirst is how long ago the first request of a receipt left.
func (w *work) sinceFirst(r *receipt.Receipt) time.Duration {
	for i := range r.History {
		if e := &r.History[i]; e.State == receipt.Sent {
			return w.now().Sub(e.At)
		}
	}
	return 0
}

// more reports whether the limits allow an attempt after this one, in this delivery.
func (w *work) more(next *receipt.Receipt) bool {
	return w.sends < w.rules.Limits.PerLife && !w.exhaustedBy(next)
}

// follow makes a move that sends nothing. clear: nothing of before is open, so that
// to stop is to say that nothing was done.
func (w *work) follow(ctx context.Context, next *receipt.Receipt, move policy.Move, clear bool) error {
	if move == policy.Stop && clear {
		next.ErrorClass, next.Detail = string(next.Class), "the policy stops here"
		return w.move(ctx, next, receipt.Rejected)
	}
	if err := w.move(ctx, next, receipt.Unknown); err != nil {
		return err
	}
	if move == policy.Review || move == policy.Stored {
		return w.review(ctx, "the policy hands it to a person")
	}
	return nil
}
