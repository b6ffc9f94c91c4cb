package lint

import (
	"fmt"
	"slices"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/policy"
)

var retryAfterIgnored = Rule{
	ID:     "retry-after-ignored",
	Doc:    "A 429 or 503 is repeated, or what was made before it is taken back, and its Retry-After is not followed: the target said when, and is asked sooner.",
	Do:     "let the answer's Retry-After win over the back-off, or do not repeat 429 and 503 at this layer",
	Source: "https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3",
	check: func(p Policy, t *Target) []note {
		switch {
		case p.RetryAfter != No:
			return nil
		case p.Attempts != 1:
			if n := p.repeatsAtOnce(t); n != nil {
				return n
			}
		}
		if p.takesBackAtOnce(t) {
			return []note{{p.RetryAfterAt, "what takes a step back, once the next one is refused for now, is sent without regard to the Retry-After of that"}}
		}
		return nil
	},
}

// repeatsAtOnce finds the first repeat of what the target refused for now.
func (p Policy) repeatsAtOnce(t *Target) []note {
	for _, r := range p.Repeats {
		if r.Asked && p.hearsBusy(t) {
			return []note{{p.RetryAfterAt.or(r.Place), fmt.Sprintf("%s, and the answer's Retry-After is ignored", r.What)}}
		}
		for _, s := range []int{429, 503} {
			if slices.Contains(r.Statuses, s) {
				return []note{{p.RetryAfterAt.or(r.Place), fmt.Sprintf("%s repeats status %d without regard to its Retry-After", r.What, s)}}
			}
		}
	}
	return nil
}

// takesBackAtOnce reports whether a refusal for now of one step ends the action, so that
// those before it are taken back.
func (p Policy) takesBackAtOnce(t *Target) bool {
	return p.takesBack(t) && p.hearsBusy(t) &&
		!slices.ContainsFunc(p.Reviews, func(r Review) bool { return r.Class == harness.RejectedTransient })
}

// hearsBusy reports whether an answer of the target is still a transient rejection once
// the document's own classes are applied; of an unknown target that is assumed.
func (p Policy) hearsBusy(t *Target) bool {
	if t == nil {
		return true
	}
	return slices.ContainsFunc(t.Errors, func(e harness.ErrorClass) bool {
		return e.Class == harness.RejectedTransient && !slices.ContainsFunc(p.Overrides, func(o Override) bool {
			return o.Status == e.Status && (o.Code == "" || o.Code == e.Code) && policy.Stricter(e.Class, o.Class)
		})
	})
}

// refusedForNow reports whether an attempt may end as a transient rejection: by an answer,
// or where the document files as one what never left.
func (p Policy) refusedForNow(t *Target) bool {
	return p.hearsBusy(t) || slices.ContainsFunc(p.Overrides, func(o Override) bool {
		return o.Mishap != "" && o.Class == harness.RejectedTransient
	})
}
