package lint

import (
	"fmt"

	"github.com/retrydrill/drill/harness"
)

var permanentRepeated = Rule{
	ID:     "permanent-repeated",
	Doc:    "What is held to be transient includes a permanent rejection: the same request stays refused, and the attempts hide why.",
	Do:     "stop at a permanent rejection, keep its class, and ask for new input or a new approval; name what is repeated one by one",
	Source: "https://www.rfc-editor.org/rfc/rfc9110#section-15.5",
	check: func(p Policy, t *Target) []note {
		if p.Attempts == 1 {
			return nil
		}
		var out []note
		for _, r := range p.Repeats {
			if r.OnlyIdempotent {
				continue
			}
			evidence, permanent := r.means(t)[harness.RejectedPermanent]
			if r.Everything {
				evidence, permanent = "every error", true
			}
			if permanent {
				out = append(out, note{r.Place, fmt.Sprintf("%s is repeated, and that includes a permanent rejection (%s)", r.What, evidence)})
			}
		}
		for _, o := range p.Overrides {
			if o.Mishap == "" && o.Class == harness.RejectedTransient && t == nil && status(nil, o.Status) == harness.RejectedPermanent {
				out = append(out, note{o.Place, fmt.Sprintf("status %d is filed as rejected_transient, and the same request stays refused", o.Status)})
			}
		}
		return out
	},
}
