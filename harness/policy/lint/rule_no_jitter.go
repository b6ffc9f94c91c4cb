package lint

var noJitter = Rule{
	ID:     "no-jitter",
	Doc:    "The back-off has no jitter: clients that failed together come back together.",
	Do:     "leave part of each wait to chance, best all of it",
	Source: "https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/",
	check: func(p Policy, _ *Target) []note {
		if len(p.Repeats) == 0 || p.Attempts == 1 || p.Backoff.Waits == No || p.Backoff.Jitter != No {
			return nil
		}
		return []note{{p.Backoff.Place, "each wait is the same for every client"}}
	},
}
