package lint

import "fmt"

var neverLookedUp = Rule{
	ID:     "never-looked-up",
	Doc:    "An unknown outcome is repeated and never looked up, at a target that could be: each repeat gets a failure that the key keeps again, or loses its answer too, and nobody learns whether the effect exists.",
	Do:     "reconcile_then_decide: a look-up tells what a replayed failure, or one more answer that is lost, does not",
	Source: "https://docs.stripe.com/api/idempotent_requests",
	check: func(p Policy, t *Target) []note {
		if t == nil || !t.CanFind() {
			return nil
		}
		var out []note
		for _, r := range p.Blind {
			out = append(out, note{r.Place, fmt.Sprintf("%s, and %s could be looked up at", r.What, t.Profile)})
		}
		return out
	},
}
