package lint

// Rules lists every rule, what an effect is worth first.
var Rules = []Rule{
	unknownRepeated,
	hedged,
	confirmedRepeated,
	permanentRepeated,
	unknownGivenUp,
	neverLookedUp,
	unsentGivenUp,
	leftToReview,
	laxerClass,
	beyondRetention,
	noBound,
	retryAfterIgnored,
	noBackoff,
	noJitter,
}
