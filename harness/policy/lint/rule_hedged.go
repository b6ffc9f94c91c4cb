package lint

var hedged = Rule{
	ID:     "hedged",
	Doc:    "A second copy is sent while the first may still be at work, at a target that is not known to keep a key: both can have their effect.",
	Do:     "hedge reads only; for what changes something wait for the outcome and reconcile",
	Source: "https://github.com/grpc/proposal/blob/master/A6-client-retries.md#hedging-policy",
	check: func(p Policy, t *Target) []note {
		if !p.Hedges || harmless(t) || p.Attempts == 1 {
			return nil
		}
		return []note{{p.HedgesAt, "copies are sent before the first is answered, and " + keeps(t)}}
	},
}
