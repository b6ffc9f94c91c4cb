package lint

var unsentGivenUp = Rule{
	ID:     "unsent-given-up",
	Doc:    "What never left is filed as an end: the target refused nothing, the action is reported as rejected, and nobody sends it again.",
	Do:     "write never_dispatched: automatic_same_action_id, within the limits; make a mishap stricter only where bytes may have left",
	Source: "https://www.rfc-editor.org/rfc/rfc9110#section-9.2.2",
	check: func(p Policy, _ *Target) []note {
		var out []note
		for _, r := range p.Unsent {
			out = append(out, note{r.Place, r.What + ": nothing was sent, and it ends here"})
		}
		return out
	},
}
