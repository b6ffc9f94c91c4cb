package lint

var noBound = Rule{
	ID:     "no-bound",
	Doc:    "Neither the number of attempts nor the time is bounded: one request that cannot succeed is sent for ever.",
	Do:     "bound the attempts of one action, over all layers together, and the time",
	Source: "https://sre.google/sre-book/addressing-cascading-failures/",
	check: func(p Policy, _ *Target) []note {
		if !p.repeats() && !p.Reconciles || p.Attempts > 0 || p.Budget > 0 || p.Bounded {
			return nil
		}
		return []note{{p.AttemptsAt, "neither attempts nor time are bounded"}}
	},
}
