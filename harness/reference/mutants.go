package reference

import (
	"time"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/receipt"
	"github.com/retrydrill/drill/harness/worker"
)

// Mutant is an executor with one planted fault. The fault is in what it does, and
// shows in the wire, the ledger, the records and the reports alone.
type Mutant struct {
	// Name says what is wrong.
	Name  string
	Class Class
	// Doc says what it does.
	Doc string
	// Invariant must convict it, in Scenario.
	Invariant, Scenario string
	// Case is the public report that it stands for; see [Cases].
	Case string
	// FixOf is the mutant whose naive fix it is, where it is one: the next fault.
	FixOf string
	// Target is the profile at which it is shown; empty is stripe-v1.
	Target string
	// Twin is the safe executor that has to be cleared there; empty is the reference.
	Twin string
	New  worker.New
	// NotShown says why drill can not show it yet, where it can not.
	NotShown string
}

// careless is the built-in executor of that name.
func careless(name string) worker.New {
	for _, e := range Executors {
		if e.Name == name {
			return e.New
		}
	}
	panic("no executor " + name)
}

// believesOldProof acts on what was told before it stood still.
func believesOldProof(r *Rules) { r.OldProofIsNoProof = false }

// noLook repeats what is unknown without a look-up.
func noLook(r *Rules) { r.Reconcile = false }

// keylessTarget finds by our reference, behind by a declared lag, and keeps no key.
const keylessTarget = "lookup-by-reference"

// replayingTarget answers a used key with what is stored, whatever is asked.
const replayingTarget = "qonto"

// partsTarget makes its effects in two steps, and takes the first back where the second
// is refused.
const partsTarget = "orders"

// tellingTarget tells by itself what was done there.
const tellingTarget = "payments"

// pendingTarget accepts work and does it later.
const pendingTarget = "async-202"

// lenientTarget overlooks a key that is malformed.
const lenientTarget = "header-echo"

// namedTarget gives each name once.
const namedTarget = "natural-key"

// Mutants lists every mutant, in the order of [Classes].
var Mutants = []Mutant{
	{Name: "no-key", Class: LostResponse, Case: "C62", Invariant: "one-effect", Scenario: "lost-answer",
		Doc: "an answer that is lost is taken for a request that is lost, and there is no key", New: careless("no-key")},
	{Name: "repeat-without-look", Class: LostResponse, Case: "C65", Invariant: "reconcile-first", Scenario: "lost-answer", Target: keylessTarget, Twin: "looks-before-each-send",
		Doc: "what is unknown is sent again, at a target that keeps no key", New: bend{rules: noLook}.New},
	{Name: "transport-resends", Class: LostResponse, Case: "C70", Invariant: "one-effect", Scenario: "lost-answer", Target: keylessTarget, Twin: "resends-what-never-left",
		Doc: "the transport sends any request again whose connection ended early, and nobody above hears of it", New: bend{env: through(resends(onError))}.New},
	{Name: "deadline-resends", Class: LostResponse, Case: "C61", Invariant: "one-effect", Scenario: "slow-answer", Target: keylessTarget, Twin: "resends-what-never-left",
		Doc: "the gate that keeps a write from being repeated is asked for a status and not for a deadline", New: bend{env: impatient(through(resends(onTimeout)))}.New},
	{Name: "gateway-error-resends", Class: LostResponse, Case: "C104", Invariant: "one-effect", Scenario: "gateway-error", Target: keylessTarget, Twin: "resends-what-never-left",
		Doc: "a layer repeats by status, whatever the method", New: bend{env: through(resends(onStatus))}.New},

	{Name: "stopped-as-unsent", Class: LostResponse, Case: "C43", Invariant: "one-effect", Scenario: "asked-to-stop", Target: keylessTarget,
		Doc: "who is asked to end while a request is out takes it back as one that was never sent", New: bend{rules: func(r *Rules) { r.MissingIsNoProof = false }, send: unsentWhenStopped}.New},

	{Name: "recovery-by-resend", Class: Lease, Case: "C29", Invariant: "one-effect", Scenario: "recovery-races", Twin: "rescues-as-listed",
		Doc: "a recovery takes up what somebody is still at, and sends it anew", New: careless("recovery-by-resend")},
	{Name: "stolen-lease", Class: Lease, Case: "C49", Invariant: "one-effect", Scenario: "two-at-once", Target: keylessTarget,
		Doc: "who comes second does not look whether the lease is over, and no write is held against it", New: bend{store: stealing}.New},
	{Name: "late-write", Class: Lease, Case: "C58", Invariant: "one-effect", Scenario: "late-worker", Target: keylessTarget,
		Doc: "who stood still for longer than its lease goes on as if nothing had been: no write is held against the lease", New: bend{store: unfenced, env: patient, rules: believesOldProof}.New},
	{Name: "rescue-by-id", Class: Lease, Case: "C50", FixOf: "claim-without-lease", Invariant: "one-effect", Scenario: "recovery-races", Twin: "rescues-as-listed",
		Doc: "what a recovery listed as open is put back by its ID alone, whatever became of it since, and runs anew", New: bend{store: rescuing}.New},
	{Name: "loser-has-no-result", Class: Lease, Case: "C31", Invariant: "same-result", Scenario: "two-at-once",
		Doc: "who comes second is told that it is done, and not what was made", New: bend{store: withoutResult}.New},

	{Name: "timeout-as-failure", Class: ErrClass, Case: "C92", Invariant: "true-report", Scenario: "lost-answer",
		Doc: "no answer is told as a failure", New: careless("timeout-as-failure")},
	{Name: "refusal-as-retryable", Class: ErrClass, Case: "C13", Invariant: "permanent-stops", Scenario: "rejected-for-good",
		Doc: "a refusal for good is sent again like any error", New: bend{send: instead(harness.RejectedPermanent, harness.RejectedTransient)}.New},
	{Name: "wrapped-error-class", Class: ErrClass, Case: "C23", FixOf: "silence-as-success", Invariant: "class-kept", Scenario: "rejected-for-good", Twin: "sentence-around-the-class",
		Doc: "every error comes up as one class, whatever it was below", New: bend{report: wrapped}.New},
	{Name: "throttle-as-refusal", Class: ErrClass, Case: "C23", Invariant: "class-kept", Scenario: "throttled",
		Doc: "being asked to come later is told as a refusal", New: bend{send: instead(harness.RejectedTransient, harness.RejectedPermanent)}.New},
	{Name: "page-as-refusal", Class: ErrClass, Case: "C74", Invariant: "true-report", Scenario: "gateway-error",
		Doc: "an answer that can not be read is an error of the request", New: bend{send: heardAs(unreadable)}.New},
	{Name: "silence-as-success", Class: ErrClass, Case: "C23", Invariant: "no-lost-effect", Scenario: "lost-answer",
		Doc: "what raised no error that anybody reads has worked", New: bend{send: instead(harness.Unknown, harness.Confirmed)}.New},
	{Name: "body-not-rewound", Class: ErrClass, Case: "C74", FixOf: "key-per-attempt", Invariant: "stable-key", Scenario: "unavailable", Twin: "body-kept-by-key",
		Doc: "the second attempt sends the key of the first and a body that is already read to its end", New: bend{env: func(e *worker.Env) { through(notRewound())(e) }}.New},
	{Name: "undo-on-unknown", Class: ErrClass, Case: "C106", FixOf: "half-done", Invariant: "no-bad-undo", Scenario: "two-operations", Target: partsTarget, Twin: "undo-after-proof",
		Doc: "an unknown outcome is taken as refused, and what was made before is taken back", New: careless("undo-on-unknown")},
	{Name: "undo-assumed", Class: ErrClass, Case: "C106", Invariant: "true-report", Scenario: "undo-in-doubt", Target: partsTarget, Twin: "undo-after-proof",
		Doc: "an undo without an answer is taken as done", New: careless("undo-assumed")},
	{Name: "half-done", Class: ErrClass, Case: "C103", Invariant: "true-report", Scenario: "rejected-for-good", Target: partsTarget,
		Doc: "the second step is refused for good, that is told, and what the first one made stays", New: careless("half-done")},

	{Name: "key-per-attempt", Class: KeyUnstable, Case: "C83", Invariant: "stable-key", Scenario: "lost-answer", Twin: "new-key-after-refusal",
		Doc: "each attempt draws a key", New: careless("key-per-attempt")},
	{Name: "key-with-clock", Class: KeyUnstable, Case: "C76", Invariant: "stable-key", Scenario: "lost-answer", Twin: "key-of-action-and-arguments",
		Doc: "the key is made of what was asked for and of the time", New: bend{rules: noLook, send: keyed(withClock)}.New},
	{Name: "key-per-instance", Class: KeyUnstable, Case: "C113", Invariant: "one-effect", Scenario: "report-lost",
		Doc: "each instance makes its own keys", New: bend{rules: noLook, send: keyed(withMachine)}.New},

	{Name: "batch-resume", Class: WholeRun, Case: "C05", FixOf: "claim-before-send", Invariant: "one-effect", Scenario: "batch-cut", Twin: "batch-twice",
		Doc: "a batch that is handed over again starts from its first action", New: careless("batch-resume")},
	{Name: "new-run-new-names", Class: WholeRun, Case: "C40", Invariant: "one-effect", Scenario: "dies-after-commit", Twin: "names-of-its-own",
		Doc: "a retry is a run of its own, and every name is derived from the run", New: bend{job: identified(byRun)}.New},
	{Name: "claim-before-send", Class: WholeRun, Case: "C02", FixOf: "handle-in-memory", Invariant: "no-lost-effect", Scenario: "dies-before-sending", Twin: "claims-and-takes-over",
		Doc: "a claim is written first, so that nothing is done twice, and then taken as proof that it was done", New: careless("claim-before-send")},
	{Name: "pending-as-unstarted", Class: WholeRun, Case: "C14", Invariant: "one-effect", Scenario: "control", Target: pendingTarget,
		Doc: "what is accepted and not done yet counts as not begun, and is begun again", New: bend{rules: noLook, send: restarting}.New},

	{Name: "record-after-ack", Class: CrashGap, Case: "C95", Invariant: "record-first", Scenario: "dies-after-commit",
		Doc: "an attempt is recorded when its answer is there", New: careless("record-after-ack")},
	{Name: "missing-receipt-as-proof", Class: CrashGap, Case: "C07", Invariant: "one-effect", Scenario: "receipt-not-written", Target: keylessTarget,
		Doc: "a record that tells of no request proves that none was sent", New: careless("missing-receipt-as-proof")},
	{Name: "handle-in-memory", Class: CrashGap, Case: "C107", Invariant: "one-effect", Scenario: "dies-after-commit", Target: keylessTarget,
		Doc: "what was started is known to the worker's memory alone", New: bend{open: InMemory, rules: func(r *Rules) { r.MissingIsNoProof = false }}.New},

	{Name: "claim-without-lease", Class: StuckIntent, Case: "C82", Invariant: "settles", Scenario: "dies-after-commit", Twin: "claims-and-takes-over",
		Doc: "a claim ends when its owner says so, and the owner is dead", New: bend{env: func(e *worker.Env) { e.Lease = 10000 * time.Hour }}.New},
	{Name: "asks-a-person", Class: StuckIntent, Case: "C94", Invariant: "settles", Scenario: "lost-answer",
		Doc: "whatever is unknown waits for a person, also where the target could tell", New: careless("asks-a-person")},
	{Name: "waits-for-itself", Class: StuckIntent, Case: "C38", Invariant: "settles", Scenario: "lost-answer",
		Doc: "what is unknown is left to whoever is at work on it, and that is nobody", New: bend{rules: func(r *Rules) { r.AskTarget = false }, report: onItself}.New},

	{Name: "no-trigger-dedup", Class: DoubleTrigger, Case: "C34", Invariant: "one-action-per-trigger", Scenario: "minted-twice",
		Doc: "one intent under two action IDs is done twice", New: careless("no-trigger-dedup")},
	{Name: "dedup-by-trigger", Class: DoubleTrigger, Case: "C112", Invariant: "one-effect", Scenario: "dies-having-heard", Twin: "names-of-its-own",
		Doc: "an action is known by the message that brought it, so that another message of it is another action", New: bend{job: identified(byTrigger)}.New},
	{Name: "each-instance-runs-it", Class: DoubleTrigger, Case: "C26", Invariant: "one-effect", Scenario: "two-at-once",
		Doc: "each instance registers for the trigger and runs it", New: bend{job: identified(byWorker)}.New},
	{Name: "notice-as-trigger", Class: DoubleTrigger, Case: "C79", Invariant: "one-effect", Scenario: "event-first", Target: tellingTarget,
		Doc: "what the target tells by itself is an order, carried out beside the call that it tells of", New: careless("notice-as-trigger")},
	{Name: "notice-as-proof", Class: DoubleTrigger, Case: "C79", Invariant: "true-report", Scenario: "event-first", Target: tellingTarget,
		Doc: "what the target tells by itself is booked as ours, whoever's object it tells of", New: careless("notice-as-proof")},

	{Name: "trusts-an-old-key", Class: KeyExpiry, Case: "C46", Invariant: "one-effect", Scenario: "key-expired",
		Doc: "what is unknown is repeated under its key, however old that is", New: bend{rules: noLook}.New},
	{Name: "message-id-reuse-inside-the-window", Class: KeyExpiry, Case: "C47", FixOf: "key-per-attempt", Invariant: "settles", Scenario: "failure-stored",
		Doc: "the mark of a replay is not read, so that a key that holds a failure is used until the attempts are spent", New: bend{rules: noLook, send: unmarked}.New},

	{Name: "no-approval-check", Class: Consent, Case: "C16", Invariant: "approval-bound", Scenario: "wrong-approval",
		Doc: "what arrives is done, denied or not", New: careless("no-approval-check")},
	{Name: "approval-by-call-id", Class: Consent, Case: "C08", FixOf: "no-approval-check", Invariant: "approval-bound", Scenario: "wrong-approval", Twin: "call-id-and-digest",
		Doc: "a consent is found by the call's ID, whatever the arguments are", New: bend{job: consented(byCallID)}.New},
	{Name: "approval-used-twice", Class: Consent, Case: "C08", Invariant: "approval-bound", Scenario: "wrong-approval",
		Doc: "a consent for one use serves as often as it is shown", New: bend{job: consented(reusable)}.New},
	{Name: "approval-for-ever", Class: Consent, Case: "C10", Invariant: "approval-bound", Scenario: "wrong-approval",
		Doc: "a consent of an older policy still counts", New: bend{job: consented(lasting)}.New},
	{Name: "answer-as-approval", Class: Consent, Case: "C16", Invariant: "approval-bound", Scenario: "batch-paused",
		Doc: "whatever a person answers is an approval", New: careless("answer-as-approval")},
	{Name: "rewritten-after-approval", Class: Consent, Case: "C11", Invariant: "arguments-bound", Scenario: "control", Twin: "other-spelling",
		Doc: "a hook rounds the amount once it was approved", New: bend{send: rewriting}.New},

	{Name: "key-dropped-by-adapter", Class: KeyDropped, Case: "C19", Invariant: "one-effect", Scenario: "proxy-retry",
		Doc: "a layer passes on what it knows, and the key is not among it", New: bend{env: through(withoutKey)}.New},
	{Name: "key-under-another-name", Class: KeyDropped, Case: "C91", Invariant: "one-effect", Scenario: "proxy-retry", Twin: "key-in-two-headers",
		Doc: "the key travels in a header that the target does not read", New: bend{env: through(otherHeader)}.New},
	{Name: "key-too-long", Class: KeyDropped, Case: "C35", Invariant: "one-effect", Scenario: "proxy-retry", Target: lenientTarget,
		Doc: "the key has a shape that the target overlooks without a word", New: bend{send: keyed(overlong)}.New},

	{Name: "done-is-forgotten", Class: AckLost, Case: "C32", Invariant: "one-effect", Scenario: "report-lost",
		Doc: "what is done leaves the list of what is known, so that a redelivery begins anew", New: bend{store: beganAnew(receipt.Confirmed)}.New},

	{Name: "looks-too-early", Class: StaleRead, Case: "C98", Invariant: "one-effect", Scenario: "lagging-look-up", Target: keylessTarget, Twin: "reads-twice",
		Doc: "a look-up is believed although reads are behind", New: bend{promises: func(p *harness.Promises) { p.Lookup.Lag, p.Lookup.MaxInFlight = 0, 0 }}.New},

	{Name: "client-wide-key", Class: KeyScope, Case: "C22", Invariant: "distinct-intents", Scenario: "two-intents", Target: replayingTarget, Twin: "client-name-in-the-key",
		Doc: "the key is a setting of the client", New: bend{send: keyed(ofTheClient)}.New},
	{Name: "key-inherited-by-next-call", Class: KeyScope, Case: "C73", Invariant: "stable-key", Scenario: "batch-cut",
		Doc: "the options of one call stay on the client, and its key with them", New: bend{send: inheriting}.New},
	{Name: "key-from-arguments", Class: KeyScope, Case: "C88", Invariant: "stable-key", Scenario: "two-intents", Twin: "key-of-action-and-arguments",
		Doc: "whoever asks for the same has the same key", New: bend{send: keyed(ofTheArguments)}.New},
	{Name: "dedup-by-business-key", Class: KeyScope, Case: "C88", Invariant: "distinct-intents", Scenario: "two-intents",
		Doc: "two triggers that ask for the same are taken for one", New: careless("dedup-by-business-key")},

	{Name: "check-then-insert", Class: KeyRace, Case: "C85", Invariant: "one-effect", Scenario: "two-at-once", Target: keylessTarget,
		Doc: "the row of a key is read in one step and written in another", New: bend{store: checkThenInsert}.New},
	{Name: "loser-is-told-failed", Class: KeyRace, Case: "C86", Invariant: "true-report", Scenario: "two-at-once",
		Doc: "who comes second to a key gets an error instead of the result", New: bend{report: loserFails}.New},

	{Name: "store-500", Class: KeyPoison, Case: "C89", FixOf: "gateway-error-resends", Invariant: "true-report", Scenario: "unavailable", Twin: "one-request-a-delivery",
		Doc: "a failure of the target is kept as the outcome", New: bend{send: heardAs(storedFailure)}.New},
	{Name: "replayed-failure-as-outcome", Class: KeyPoison, Case: "C20", Invariant: "class-kept", Scenario: "failure-stored",
		Doc: "a failure that the target repeats under the key is taken for what became of the work", New: bend{send: heardAs(replayed), rules: noLook}.New},
	{Name: "release-key-on-unknown", Class: KeyPoison, Case: "C20", FixOf: "replayed-failure-as-outcome", Invariant: "stable-key", Scenario: "lost-answer", Twin: "new-key-after-refusal",
		Doc: "so that no failure sticks to a key, the key is let go whenever there was no answer", New: bend{rules: noLook, send: releasing}.New},
	{Name: "dead-run-returned", Class: KeyPoison, Case: "C37", Invariant: "no-lost-effect", Scenario: "repaired",
		Doc: "what was rejected once is returned for ever, also when a person approved it again", New: bend{store: deadRuns}.New},

	{Name: "no-digest-check", Class: ArgsDrift, Case: "C77", Invariant: "arguments-bound", Scenario: "changed-arguments",
		Doc: "changed arguments are accepted under the old approval", New: careless("no-digest-check")},
	{Name: "spelling-as-identity", Class: ArgsDrift, Case: "C76", Invariant: "true-report", Scenario: "equivalent-arguments", Target: tellingTarget,
		Doc: "arguments are digested as they came, so that the same ones in another spelling are others", New: bend{rules: func(r *Rules) { r.Normalise = false }}.New},
	{Name: "normal-form-too-lax", Class: ArgsDrift, Case: "C10", Invariant: "arguments-bound", Scenario: "changed-arguments", Target: tellingTarget,
		Doc: "the normal form leaves amounts out, so that others count as the same", New: bend{job: laxly}.New},
	{Name: "other-arguments-other-action", Class: ArgsDrift, Case: "C68", Invariant: "arguments-bound", Scenario: "changed-arguments",
		Doc: "the arguments are part of the identity, so that changed ones are carried out beside the first", New: bend{job: func(x *executor, j worker.Job) worker.Job {
			return consented(byCallID)(x, identified(byArguments)(x, j))
		}}.New},

	{Name: "adopt-by-name", Class: SelfConflict, Case: "C101", FixOf: "self-conflict-as-failure", Invariant: "escalates", Scenario: "own-conflict", Target: namedTarget, Twin: "conflict-then-compares",
		Doc: "whatever has the name is taken for our own", New: careless("adopt-by-name")},
	{Name: "self-conflict-as-failure", Class: SelfConflict, Case: "C103", FixOf: "no-key", Invariant: "true-report", Scenario: "lost-answer", Target: namedTarget, Twin: "conflict-then-compares",
		Doc: "a retry meets its own success and reports that the name is taken", New: bend{send: func(x *executor, next sender) sender {
			return conflictAs(harness.RejectedPermanent)(x, twiceInside(x, next))
		}}.New},
	{Name: "conflict-as-success", Class: SelfConflict, Case: "C101", Invariant: "no-lost-effect", Scenario: "taken-name", Target: namedTarget, Twin: "conflict-then-compares",
		Doc: "that a name is taken proves that we took it", New: bend{rules: func(r *Rules) { r.MissingIsNoProof = false }, send: conflictAs(harness.Confirmed)}.New},

	{Name: "retry-everything", Class: Unbounded, Case: "C28", Invariant: "bounded-attempts", Scenario: "gateway-error", Twin: "one-request-a-delivery",
		Doc: "whatever went wrong is sent again", New: careless("retry-everything")},
	{Name: "counter-reset-on-reconnect", Class: Unbounded, Case: "C109", FixOf: "timeout-as-failure", Invariant: "bounded-attempts", Scenario: "gateway-error", Twin: "counts-from-the-history",
		Doc: "each life counts its attempts from zero", New: bend{store: freshCount}.New},
}
