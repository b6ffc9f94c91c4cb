package lint

import (
	"fmt"

	"github.com/retrydrill/drill/harness"
)

var unknownRepeated = Rule{
	ID:     "unknown-repeated",
	Doc:    "An unknown outcome is repeated by itself at a target that is not known to keep a key: where the first request had its effect, the repeat has a second one.",
	Do:     "reconcile before anything is repeated, or send one kept key with every attempt and name the target's profile with --target; let proxies repeat only what was never dispatched",
	Source: "https://www.rfc-editor.org/rfc/rfc9110#section-9.2.2",
	check: func(p Policy, t *Target) []note {
		if harmless(t) || p.Attempts == 1 {
			return nil
		}
		var out []note
		for _, r := range p.Repeats {
			evidence, unknown := r.means(t)[harness.Unknown]
			if !unknown || r.OnlyIdempotent {
				continue
			}
			out = append(out, note{r.Place, fmt.Sprintf("%s is repeated, and that includes an unknown outcome (%s): the effect may exist, and %s", r.What, evidence, keeps(t))})
		}
		return out
	},
}

// keeps says what is known about keys.
func keeps(t *Target) string {
	if t == nil {
		return "no target is named that keeps a key"
	}
	return t.Profile + " keeps no key"
}
