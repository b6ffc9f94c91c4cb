package lint

import (
	"fmt"
	"slices"
)

var retryAfterIgnored = Rule{
	ID:     "retry-after-ignored",
	Doc:    "A 429 or 503 is repeated, and its Retry-After is not followed: the target said when, and is asked sooner.",
	Do:     "let the answer's Retry-After win over the back-off, or do not repeat 429 and 503 at this layer",
	Source: "https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3",
	check: func(p Policy, _ *Target) []note {
		if p.RetryAfter != No || p.Attempts == 1 {
			return nil
		}
		for _, r := range p.Repeats {
			if r.Asked {
				return []note{{p.RetryAfterAt.or(r.Place), fmt.Sprintf("%s, and the answer's Retry-After is ignored", r.What)}}
			}
			for _, s := range []int{429, 503} {
				if slices.Contains(r.Statuses, s) {
					return []note{{p.RetryAfterAt.or(r.Place), fmt.Sprintf("%s repeats status %d without regard to its Retry-After", r.What, s)}}
				}
			}
		}
		return nil
	},
}
