package lint

// Rules lists every rule, what an effect is worth first.
var Rules = []Rule{
	unknownRepeated,
	hedged,
	confirmedRepeated,
	permanentRepeated,
	unknownGivenUp,
	laxerClass,
	beyondRetention,
	noBound,
	retryAfterIgnored,
	noBackoff,
	noJitter,
}
