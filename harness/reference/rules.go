package reference

import "time"

// Rules are what makes an executor careful, one field a rule. Careful has them all;
// a careless twin lacks one.
type Rules struct {
	// SendKey: every request carries an idempotency key.
	SendKey bool
	// OneKey: all attempts at one action carry the same key.
	OneKey bool
	// Reconcile: an unknown outcome is looked up before anything is repeated.
	Reconcile bool
	// UnknownStaysOpen: no answer is not taken for a failure.
	UnknownStaysOpen bool
	// StopForGood: a permanent rejection ends the action.
	StopForGood bool
	// ClaimIsNoProof: a claim that an earlier life left behind proves no effect.
	ClaimIsNoProof bool
	// BindArguments: approval, receipt and request are bound to one digest.
	BindArguments bool
	// Normalise: arguments are brought into the profile's normal form before they are
	// digested.
	Normalise bool
	// CheckApproval: nothing begins without a valid approval.
	CheckApproval bool
	// OneIntent: what a trigger asked for under one action ID is not done again
	// under another.
	OneIntent bool
	// DistinctIntents: two triggers ask for two effects, however alike.
	DistinctIntents bool
	// OwnEffects: what a look-up finds counts only under this action's reference.
	OwnEffects bool
	// AskTarget: what the target can tell is not left to a person.
	AskTarget bool
	// RecordFirst: "sent" is durable before the request leaves.
	RecordFirst bool
	// MissingIsNoProof: that a receipt is missing, or tells of no request, does not
	// prove that none was sent.
	MissingIsNoProof bool
	// OldProofIsNoProof: what a look-up told before the worker stood still for longer than
	// its lease is looked up once more.
	OldProofIsNoProof bool
	// RecoverUnderClaim: a recovery takes up a receipt as any other worker does, under
	// a claim, and looks before it acts.
	RecoverUnderClaim bool
	// UndoOnRefusal: what was made before a step that is refused for good is taken back.
	UndoOnRefusal bool
	// UndoOnRefusalAlone: an unknown outcome is no reason to take anything back.
	UndoOnRefusalAlone bool
	// UndoForCertain: an undo without an answer is looked up, not taken as done.
	UndoForCertain bool
	// NoticeIsNoOrder: what the target tells by itself asks for nothing.
	NoticeIsNoOrder bool
	// NoticeIsNoProof: what it tells is looked up, not believed.
	NoticeIsNoProof bool
	// PerAction: each action of a batch has a receipt and a key of its own, so that a
	// batch that is handed over again goes on where it stopped.
	PerAction bool
	// AnswerIsNoApproval: a person's answer allows nothing by itself.
	AnswerIsNoApproval bool
	// KeepSecret: the token is said to the target alone.
	KeepSecret bool
	Limits     Limits
}

// Limits bound what an executor does.
type Limits struct {
	// Attempts bounds the requests for one action, over all lives.
	Attempts int
	// PerLife bounds the requests for one action in one delivery.
	PerLife int
	// Tries bounds, in one delivery, what can not count as an attempt: a request
	// that never left, a read that failed, a read while the first request is at work.
	Tries int
	// Backoff is the first pause between two requests; it doubles up to MaxBackoff,
	// and a part of it is drawn (full jitter). The target's Retry-After wins over it.
	Backoff, MaxBackoff time.Duration
	// MaxWait is the longest Retry-After that one delivery sits out.
	MaxWait time.Duration
}

// Careful returns the rules of the reference executor.
func Careful() Rules {
	return Rules{
		SendKey: true, OneKey: true, Reconcile: true, UnknownStaysOpen: true, StopForGood: true,
		ClaimIsNoProof: true, BindArguments: true, Normalise: true, CheckApproval: true, OneIntent: true, DistinctIntents: true,
		OwnEffects: true, AskTarget: true, RecordFirst: true, MissingIsNoProof: true, OldProofIsNoProof: true, RecoverUnderClaim: true,
		UndoOnRefusal: true, UndoOnRefusalAlone: true, UndoForCertain: true,
		NoticeIsNoOrder: true, NoticeIsNoProof: true,
		PerAction: true, AnswerIsNoApproval: true, KeepSecret: true,
		Limits: Limits{Attempts: 5, PerLife: 4, Tries: 3, Backoff: 20 * time.Millisecond, MaxBackoff: time.Second, MaxWait: 5 * time.Second},
	}
}

// without returns the careful rules with a change.
func without(change func(*Rules)) Rules {
	r := Careful()
	change(&r)
	return r
}
