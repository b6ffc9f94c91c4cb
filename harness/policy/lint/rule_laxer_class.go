package lint

import (
	"fmt"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/policy"
)

var laxerClass = Rule{
	ID:     "laxer-class",
	Doc:    "The policy gives an answer a class that is not stricter than the one of the target's profile. It has no effect: a policy may only make a class stricter.",
	Do:     "take the line out, or correct the profile if the provider promises more",
	Source: "https://www.rfc-editor.org/rfc/rfc9110#section-15",
	check: func(p Policy, t *Target) []note {
		if t == nil {
			return nil
		}
		var out []note
		for _, o := range p.Overrides {
			if o.Mishap != "" {
				continue
			}
			if from := t.ClassOf(o.Status, &harness.Answered{Code: o.Code}); !policy.Stricter(from, o.Class) {
				out = append(out, note{o.Place, fmt.Sprintf("status %d %sis %s at %s, and %s is not stricter",
					o.Status, spaced(o.Code), policy.Key(from), t.Profile, policy.Key(o.Class))})
			}
		}
		return out
	},
}

func spaced(s string) string {
	if s == "" {
		return ""
	}
	return s + " "
}
