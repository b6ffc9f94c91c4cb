package reference

import "github.com/retrydrill/drill/harness/worker"

// Executor is one built-in executor.
type Executor struct {
	Name string
	// Doc says what it does, and of a careless twin which rule is removed.
	Doc string
	// Careful: it is meant to be safe everywhere.
	Careful bool
	New     worker.New
}

// Executors lists the built-in executors: the reference, then its careless twins,
// those that repeat before those that misjudge.
var Executors = []Executor{
	{"reference", "the contract as code: approval, claim, sent before the request, one key an action, reconcile before a repeat",
		true, With(Careful(), InFile)},
	{"key-per-attempt", "no longer one key an action: each attempt draws a new one, and an unknown outcome is repeated without a look-up",
		false, With(without(func(r *Rules) { r.OneKey, r.Reconcile = false, false }), InFile)},
	{"no-key", "no key at all, and an unknown outcome is repeated without a look-up",
		false, With(without(func(r *Rules) { r.SendKey, r.Reconcile = false, false }), InFile)},
	{"retry-everything", "whatever went wrong is sent again, eight times a delivery: no look-up, no stop at a permanent rejection, no bound for the action",
		false, With(without(retryEverything), InFile)},
	{"timeout-as-failure", "no answer is taken for a failure: an unknown outcome is reported as rejected",
		false, With(without(func(r *Rules) { r.UnknownStaysOpen = false }), InFile)},
	{"claim-before-send", "a claim that is found, in whatever state, is taken as proof that the effect exists",
		false, With(without(func(r *Rules) { r.ClaimIsNoProof = false }), InFile)},
	{"no-digest-check", "nothing is bound to the digest: changed arguments are accepted under the old approval and the old receipt",
		false, With(without(func(r *Rules) { r.BindArguments = false }), InFile)},
	{"no-approval-check", "no approval is looked at: what arrives is done, denied or not",
		false, With(without(func(r *Rules) { r.CheckApproval = false }), InFile)},
	{"no-trigger-dedup", "the trigger key is not looked at: one intent under two action IDs is done twice",
		false, With(without(func(r *Rules) { r.OneIntent = false }), InFile)},
	{"dedup-by-business-key", "two triggers that ask for the same at one record are taken for one",
		false, With(without(func(r *Rules) { r.DistinctIntents = false }), InFile)},
	{"adopt-by-name", "whatever stands under the business key is taken for this action's own effect",
		false, With(without(func(r *Rules) { r.OwnEffects = false }), InFile)},
	{"asks-a-person", "every unknown outcome is handed to a person, also where a look-up would tell",
		false, With(without(func(r *Rules) { r.AskTarget = false }), InFile)},
	{"record-after-ack", "an attempt is recorded once its answer is there, not before it leaves",
		false, With(without(func(r *Rules) { r.RecordFirst = false }), InFile)},
	{"missing-receipt-as-proof", "a receipt that tells of no request is taken as proof that none was sent",
		false, With(without(func(r *Rules) { r.MissingIsNoProof = false }), InFile)},
	{"recovery-by-resend", "a recovery sends anew whatever has no answer yet, under no claim and a key of its own",
		false, With(without(func(r *Rules) { r.RecoverUnderClaim = false }), InFile)},
	{"half-done", "the parts that were made stay when a later one is refused for good",
		false, With(without(func(r *Rules) { r.UndoOnRefusal = false }), InFile)},
	{"undo-on-unknown", "a step whose outcome is unknown is taken as refused, and what was made before is taken back",
		false, With(without(func(r *Rules) { r.UndoOnRefusalAlone = false }), InFile)},
	{"undo-assumed", "an undo without an answer is taken as done",
		false, With(without(func(r *Rules) { r.UndoForCertain = false }), InFile)},
	{"notice-as-trigger", "what the target tells by itself is taken as an order and carried out, under the notice's own ID as key",
		false, With(without(func(r *Rules) { r.NoticeIsNoOrder = false }), InFile)},
	{"notice-as-proof", "what the target tells by itself is believed, whoever's object it tells of",
		false, With(without(func(r *Rules) { r.NoticeIsNoProof = false }), InFile)},
	{"batch-resume", "a batch is recorded as a whole: handed over again, it starts from its first action",
		false, With(without(func(r *Rules) { r.PerAction = false }), InFile)},
	{"answer-as-approval", "whatever a person answers is taken for an approval",
		false, With(without(func(r *Rules) { r.AnswerIsNoApproval = false }), InFile)},
	{"says-the-token", "the target's token is written into every report",
		false, With(without(func(r *Rules) { r.KeepSecret = false }), InFile)},
}

func retryEverything(r *Rules) {
	r.Reconcile, r.StopForGood = false, false
	r.Limits.Attempts, r.Limits.PerLife, r.Limits.Tries = 1000, 8, 8
	r.Limits.MaxBackoff = r.Limits.Backoff
}
