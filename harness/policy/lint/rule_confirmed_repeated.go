package lint

import (
	"fmt"

	"github.com/retrydrill/drill/harness"
)

var confirmedRepeated = Rule{
	ID:     "confirmed-repeated",
	Doc:    "A confirmed effect is repeated: it exists, and the repeat asks for another.",
	Do:     "return the stored receipt",
	Source: "https://www.rfc-editor.org/rfc/rfc9110#section-15.3",
	check: func(p Policy, t *Target) []note {
		var out []note
		for _, r := range p.Repeats {
			if evidence, ok := r.means(t)[harness.Confirmed]; ok && p.Attempts != 1 {
				out = append(out, note{r.Place, fmt.Sprintf("%s is repeated, and that includes success (%s)", r.What, evidence)})
			}
		}
		return out
	},
}
