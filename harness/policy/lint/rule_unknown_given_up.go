package lint

var unknownGivenUp = Rule{
	ID:     "unknown-given-up",
	Doc:    "An unknown outcome is filed as an end without a look at the target: an effect that exists is reported as not done, and whoever asks again gets a second one.",
	Do:     "write outcome_unknown: reconcile_then_decide, or needs_review",
	Source: "https://docs.stripe.com/error-low-level#server-errors",
	check: func(p Policy, _ *Target) []note {
		if !p.GivesUp {
			return nil
		}
		return []note{{p.GivesUpAt, "an unknown outcome ends here, and the effect may exist"}}
	},
}
