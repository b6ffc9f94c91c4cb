package check

// What an invariant reads of a history.
const (
	ledger  = "ledger"
	reports = "report"
	wire    = "wire"
	profile = "profile"
	records = "receipts"
)

// Invariants lists every invariant, what an effect is worth first.
var Invariants = [...]Invariant{
	{"one-effect", "Violated by more than one effect of one part for one action. An undo is no effect.",
		[]string{ledger}, oneEffect},
	{"no-lost-effect", "Violated by a report of done while the ledger has no effect, or by an end at rejected with nothing done and no definite rejection, missing approval or spent limit behind it.",
		[]string{ledger, reports}, noLostEffect},
	{"true-report", "Violated by a report of rejected while an effect of these arguments exists or lands later, and by a report of done that names an ID which is not its effect's.",
		[]string{ledger, reports}, trueReport},
	{"same-result", "Violated by two reports of done for one action that name different resources, or of which one names none.",
		[]string{reports}, sameResult},
	{"arguments-bound", "Violated when arguments that no approval of the action covers had an effect or were reported as success.",
		[]string{ledger, reports}, argumentsBound},
	{"approval-bound", "Violated by an effect that no valid approval covers: none, a stale, denied or spent one, or another action's.",
		[]string{ledger, reports}, approvalBound},
	{"stable-key", "Violated when the key or the arguments changed between attempts at one operation while the earlier outcome was unknown, or when two operations or actions shared a key. A new key is right after a definite rejection, after the key expired, and after a replayed stored failure with proof that nothing was done.",
		[]string{wire}, stableKey},
	{"distinct-intents", "Violated when two different actions collapsed into one: one of them is reported done by the other's effect.",
		[]string{ledger, reports}, distinctIntents},
	{"reconcile-first", "Violated when the executor mutated again after an unknown outcome before a read was answered, where the target does not make the repeat harmless.",
		[]string{wire, profile}, reconcileFirst},
	{"bounded-attempts", "Violated by more mutations for one action than the declared limit, or by one that comes sooner than the answer's Retry-After. A proxy's copies are not counted.",
		[]string{wire}, boundedAttempts},
	{"permanent-stops", "Violated by a mutation with the same arguments and approval after the executor heard a permanent rejection.",
		[]string{wire}, permanentStops},
	{"class-kept", "Violated when the outcome or error class of a report is not what the profile gives to the answer that decided it, or when two classes became one.",
		[]string{wire, reports, profile}, classKept},
	{"settles", "Violated when an action does not end at done or rejected although the target could still tell and the schedule let it.",
		[]string{reports}, settles},
	{"escalates", "Violated when the evidence was ambiguous, neither a kept key nor a reference told it apart, and the executor guessed instead of reporting needs_review.",
		[]string{ledger, reports}, escalates},
	{"no-bad-undo", "Violated by an undo of an effect that nothing proved refused or surplus, of one that another effect rests on, or of another action's.",
		[]string{ledger, wire}, noBadUndo},
	{"no-secret", "Violated when the target's token shows in a report, a log line, a query string or a receipt.",
		[]string{ledger, reports, wire}, noSecret},
	{"record-first", "Violated when a request left before a record that allows it was durable, or when the wire shows more of the executor's own requests than its record counts. Judged where drill stands at the executor's own store: at built-in executors.",
		[]string{wire, records}, recordFirst},
	{"one-action-per-trigger", "Violated by effects or keys of two actions of one trigger key that no delivery brought together.",
		[]string{ledger, wire}, oneActionPerTrigger},
}
