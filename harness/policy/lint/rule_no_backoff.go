package lint

var noBackoff = Rule{
	ID:     "no-backoff",
	Doc:    "Attempts follow one another at once: a target that is busy gets more to do, and a look-up that lags has no time to see the effect.",
	Do:     "wait longer after each attempt, up to a cap, with jitter",
	Source: "https://aws.amazon.com/builders-library/timeouts-retries-and-backoff-with-jitter/",
	check: func(p Policy, _ *Target) []note {
		if len(p.Repeats) == 0 || p.Attempts == 1 || p.Backoff.Waits != No {
			return nil
		}
		return []note{{p.Backoff.Place, "there is no wait between attempts"}}
	},
}
