package reference

import (
	"github.com/retrydrill/drill/harness/worker"
)

// Twin is an executor that looks like a mutant and is safe: it does otherwise than the
// reference and keeps the contract all the same. A check that goes by appearance
// convicts it.
type Twin struct {
	Executor
	// Like are the mutants that it looks like.
	Like []string
	// Targets are the profiles at which it is safe.
	Targets []string
}

const defaultTarget = "stripe-v1"

// blindTarget keeps no key and can not be asked.
const blindTarget = "no-key-no-lookup"

// SafeTwins lists the safe executors besides the reference, in the order of the
// mutants that they look like.
var SafeTwins = []Twin{
	{safe("looks-before-each-send", "asks the target before every request, also the first one, and takes what it finds under its own reference with the same arguments",
		bend{send: looksFirst}.New), []string{"repeat-without-look"}, []string{defaultTarget, keylessTarget}},
	{safe("resends-what-never-left", "a layer below sends again by itself, what is read after any error, and what changes something where no byte of it can have arrived",
		bend{env: through(resendsSafely)}.New), []string{"transport-resends", "deadline-resends", "gateway-error-resends"}, []string{defaultTarget, keylessTarget}},
	{safe("claims-and-takes-over", "claims before it sends, sits a lease of another out in place, and then takes over and reconciles",
		bend{open: waiting(InFile)}.New), []string{"stolen-lease", "claim-before-send", "claim-without-lease"}, []string{defaultTarget}},
	{safe("rescues-as-listed", "a recovery takes up what it listed only where state, fence and arguments are still the listed ones",
		bend{store: comparing}.New), []string{"rescue-by-id", "recovery-by-resend"}, []string{defaultTarget, keylessTarget}},
	{safe("sentence-around-the-class", "what is handed up is put into a sentence of the layer's own, and the class stays what it was",
		bend{report: inASentence}.New), []string{"wrapped-error-class"}, []string{defaultTarget}},
	{safe("body-kept-by-key", "a layer keeps the body of the first request under its key, and sends those same bytes with each repeat",
		bend{env: func(e *worker.Env) { through(bodyByKey())(e) }}.New), []string{"body-not-rewound"}, []string{defaultTarget}},
	{safe("undo-after-proof", "looks that the refused step made nothing before it takes back the one before",
		bend{undo: provenFirst}.New), []string{"undo-on-unknown", "undo-assumed"}, []string{partsTarget}},
	{safe("key-of-action-and-arguments", "the key is derived from the action's ID and the canonical text of its arguments",
		bend{send: keyed(ofActionAndArguments)}.New), []string{"key-from-arguments", "key-with-clock"}, []string{defaultTarget, replayingTarget}},
	{safe("new-key-after-refusal", "takes another key once the target refused for now, counted in the record, and never while an outcome is open",
		bend{send: keyed(afterRefusals)}.New), []string{"key-per-attempt", "release-key-on-unknown"}, []string{defaultTarget}},
	{safe("names-of-its-own", "gives each action a name of its own, the same one in every run",
		bend{job: renamedStably}.New), []string{"new-run-new-names", "dedup-by-trigger"}, []string{defaultTarget, keylessTarget}},
	{safe("batch-twice", "goes through a batch anew with each delivery, and once more when it is through; each action has a record of its own",
		throughTwice), []string{"batch-resume"}, []string{defaultTarget}},
	{safe("one-request-a-delivery", "sends once and leaves whatever that came to, to the next delivery",
		bend{rules: func(r *Rules) { r.Limits.PerLife = 1 }}.New), []string{"store-500", "retry-everything"}, []string{defaultTarget}},
	{safe("asks-a-person-where-nobody-tells", "whatever is unknown waits for a person, at a target that neither keeps a key nor can be asked",
		bend{rules: func(r *Rules) { r.AskTarget = false }}.New), []string{"asks-a-person"}, []string{blindTarget}},
	{safe("call-id-and-digest", "finds the consent by the call's ID, and holds it against the arguments as they came",
		bend{job: consented(byCallIDAndDigest)}.New), []string{"approval-by-call-id"}, []string{defaultTarget}},
	{safe("other-spelling", "what goes out is spelled otherwise than it was approved: other order, blanks and escapes, and the same arguments",
		bend{env: through(respelled)}.New), []string{"rewritten-after-approval"}, []string{defaultTarget, keylessTarget, partsTarget}},
	{safe("key-in-two-headers", "the key travels under another name, too",
		bend{env: through(bothHeaders)}.New), []string{"key-under-another-name"}, []string{defaultTarget}},
	{safe("reads-twice", "believes a look-up once a second one says the same, and takes together what both tell",
		bend{look: twice}.New), []string{"looks-too-early"}, []string{keylessTarget}},
	{safe("client-name-in-the-key", "each key begins with the client's name, which is a setting",
		bend{send: keyed(ofTheClientAndTheAction)}.New), []string{"client-wide-key"}, []string{defaultTarget, replayingTarget}},
	{safe("one-key-for-all-steps", "both steps carry the action's key, where a key is its endpoint's",
		bend{send: keyed(withoutStep)}.New), []string{"key-inherited-by-next-call"}, []string{partsTarget}},
	{safe("conflict-then-compares", "where its name is taken it looks whose it is, and takes it for its own by reference and arguments alone",
		bend{send: comparedOnConflict}.New), []string{"adopt-by-name", "self-conflict-as-failure", "conflict-as-success"}, []string{namedTarget}},
	{safe("counts-from-the-history", "each life counts anew, from the transitions in the record",
		bend{store: recounted}.New), []string{"counter-reset-on-reconnect"}, []string{defaultTarget}},
}

func safe(name, doc string, build worker.New) Executor {
	return Executor{Name: name, Doc: doc, Careful: true, New: build}
}
