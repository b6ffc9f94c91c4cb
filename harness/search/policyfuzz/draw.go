package policyfuzz

import (
	"maps"
	"slices"
	"time"

	"pgregory.net/rapid"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/policy"
)

// Policies draws retry policies for a target: every class to every move, attempts and
// time bounded or not, waits with and without jitter, Retry-After honoured or not, and
// classes made stricter. Times are drawn around the retention of the target's keys.
func Policies(t harness.Promises) *rapid.Generator[policy.Policy] {
	return rapid.Custom(func(r *rapid.T) policy.Policy {
		p := policy.Default()
		p.Limits = limits(r, t.Key.Retention.D())
		// Most policies differ from the default in a move or two: where all five are
		// drawn at once, what one does hides behind the others.
		classes := rapid.SliceOfNDistinct(rapid.SampledFrom(harness.Classes), 0, 2, rapid.ID).Draw(r, "classes")
		if rapid.IntRange(0, 7).Draw(r, "all") == 0 {
			classes = harness.Classes
		}
		for _, c := range classes {
			p.Moves[c] = rapid.SampledFrom(policy.Moves).Draw(r, policy.Key(c))
		}
		for range rapid.SampledFrom([]int{0, 0, 0, 1, 2}).Draw(r, "overrides") {
			if o, ok := override(r, t, p.Moves[harness.NeverDispatched] == policy.Automatic); ok {
				p.Overrides = append(p.Overrides, o)
			}
		}
		return p
	})
}

func limits(r *rapid.T, retention time.Duration) policy.Limits {
	l := policy.Limits{
		Attempts: rapid.SampledFrom([]int{5, 5, 3, 2, 1, 0, 4, 30}).Draw(r, "attempts"),
		Budget:   rapid.SampledFrom(budgets(retention)).Draw(r, "budget"),
		Backoff: policy.Backoff{
			Factor: rapid.SampledFrom([]float64{2, 1, 1.5, 10}).Draw(r, "factor"),
			Jitter: rapid.SampledFrom(policy.Jitters).Draw(r, "jitter"),
		},
		IgnoreRetryAfter: rapid.IntRange(0, 4).Draw(r, "ignore retry-after") == 0,
	}
	l.Backoff.Initial = rapid.SampledFrom([]time.Duration{20 * time.Millisecond, time.Millisecond, 200 * time.Millisecond, 0}).Draw(r, "initial")
	if l.Backoff.Initial > 0 {
		l.Backoff.Max = max(l.Backoff.Initial, rapid.SampledFrom([]time.Duration{time.Second, 0, 5 * time.Second}).Draw(r, "max"))
	}
	if rapid.IntRange(0, 3).Draw(r, "bounds") == 0 {
		c := rapid.SampledFrom(harness.Classes).Draw(r, "bounded")
		l.PerClass = map[harness.Class]int{c: rapid.IntRange(1, 4).Draw(r, "bound")}
	}
	return l
}

// budgets are times around a retention; 0 is no bound.
func budgets(retention time.Duration) []time.Duration {
	out := []time.Duration{0, 30 * time.Second}
	if retention > 0 {
		out = append(out, retention/2, retention*9/10, retention, retention*2)
	}
	return out
}

// override draws a class that is stricter than the table of mishaps or the target's
// profile says; false where there is nothing to make stricter.
func override(r *rapid.T, t harness.Promises, refused bool) (policy.Override, bool) {
	var all []policy.Override
	if refused {
		// The one mishap that can be made stricter and that the sim brings about: where
		// the move of its class is what is drawn, it keeps that class.
		all = append(all, stricter(policy.Override{Mishap: "refused"}, harness.NeverDispatched)...)
	}
	for _, e := range t.Errors {
		all = append(all, stricter(policy.Override{Status: e.Status, Code: e.Code}, t.Classify(e.Status, e.Code))...)
	}
	if len(all) == 0 {
		return policy.Override{}, false
	}
	return rapid.SampledFrom(all).Draw(r, "override"), true
}

func stricter(o policy.Override, from harness.Class) (out []policy.Override) {
	for _, to := range harness.Classes {
		if to != from && policy.Stricter(from, to) {
			o.Class = to
			out = append(out, o)
		}
	}
	return out
}

// simpler lists policies that are one step nearer to the default, for shrinking.
func simpler(p policy.Policy) []policy.Policy {
	var out []policy.Policy
	plain := policy.Default()
	add := func(change func(*policy.Policy)) {
		q := p
		q.Moves, q.Overrides = maps.Clone(p.Moves), slices.Clone(p.Overrides)
		q.Limits.PerClass = maps.Clone(p.Limits.PerClass)
		if change(&q); !same(p, q) {
			out = append(out, q)
		}
	}
	for i := range p.Overrides {
		add(func(q *policy.Policy) { q.Overrides = slices.Delete(q.Overrides, i, i+1) })
	}
	for _, c := range harness.Classes {
		add(func(q *policy.Policy) { q.Moves[c] = plain.Moves[c] })
	}
	add(func(q *policy.Policy) { q.Limits.PerClass = nil })
	add(func(q *policy.Policy) { q.Limits.IgnoreRetryAfter = false })
	add(func(q *policy.Policy) { q.Limits.Attempts = plain.Limits.Attempts })
	add(func(q *policy.Policy) { q.Limits.Budget = plain.Limits.Budget })
	add(func(q *policy.Policy) { q.Limits.Backoff = plain.Limits.Backoff })
	return out
}

// same reports whether two policies say the same.
func same(p, q policy.Policy) bool {
	a, err := p.YAML()
	if err != nil {
		return false
	}
	b, err := q.YAML()
	return err == nil && string(a) == string(b)
}
