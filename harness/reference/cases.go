package reference

// Case is one public report of a retry that repeated, lost or corrupted a real effect.
type Case struct {
	// ID is what [Mutant.Case] calls it by.
	ID    string
	Class Class
	// Report is where it is told: owner/repository#number at GitHub.
	Report string
	// What went wrong there, in short.
	What string
	// By are scenarios and mutants that stand for it, beside the mutants that name it.
	By []string
	// Why says why nothing stands for it; empty where something does.
	Why string
}

// StandIns are the mutants that name the case, then [Case.By].
func (c Case) StandIns() []string {
	var out []string
	for _, m := range Mutants {
		if m.Case == c.ID {
			out = append(out, m.Name)
		}
	}
	return append(out, c.By...)
}

// Cases lists the public reports that drill is held against, by their IDs. They are a
// sample: what counts is the kind of fault.
var Cases = []Case{
	{ID: "C01", Class: WholeRun, Report: "agno-agi/agno#10366", What: "a later step fails, and the whole run starts over with the tool call that had succeeded",
		By: []string{"batch-resume", "batch-cut"}},
	{ID: "C02", Class: WholeRun, Report: "crewAIInc/crewAI#5802", What: "calls are repeated since they are recorded after the fact; the claim that was to cure it loses them"},
	{ID: "C04", Class: WholeRun, Report: "langchain-ai/langgraph#6208", What: "a resume begins at the top of the node, once more with each pause",
		By: []string{"batch-resume", "batch-paused"}},
	{ID: "C05", Class: WholeRun, Report: "langchain-ai/langgraph#6626", What: "one call of a batch waits, and its finished siblings run again with it"},
	{ID: "C07", Class: CrashGap, Report: "langchain-ai/langgraph#8039", What: "result and checkpoint are written in no fixed order, and a crash between them decides"},
	{ID: "C08", Class: Consent, Report: "openai/openai-agents-python#4257", What: "a consent was found by a call's ID, whatever was called"},
	{ID: "C10", Class: Consent, Report: "openclaw/openclaw#112946", What: "a lasting consent matched the program and not its arguments"},
	{ID: "C11", Class: Consent, Report: "pydantic/pydantic-ai#6968", What: "the approver saw other arguments than those that ran"},
	{ID: "C13", Class: ErrClass, Report: "pydantic/pydantic-ai#3298", What: "a definite 404 was retried without end by the layer above"},
	{ID: "C14", Class: WholeRun, Report: "google/adk-python#5450", What: "jobs still at work were taken for not begun, and begun again"},
	{ID: "C16", Class: Consent, Report: "microsoft/agent-framework#7111", What: "what ran was taken from the answer of the approver, not from what was asked"},
	{ID: "C17", Class: ErrClass, Report: "databricks-solutions/ai-dev-kit#80", What: "a create that was still at work was told as failed, and made again",
		By: []string{"timeout-as-failure", "slow-answer"}},
	{ID: "C19", Class: KeyDropped, Report: "agentmail-to/agentmail-mcp#49", What: "a tool server dropped the key that its backend honours"},
	{ID: "C20", Class: KeyPoison, Report: "KeeperHub/keeperhub#1840", What: "a failure is replayed under the key when it could work by now; letting the key go doubles"},
	{ID: "C22", Class: KeyScope, Report: "paypal/agent-toolkit#98", What: "the request ID is a setting of the client and not of a call"},
	{ID: "C23", Class: ErrClass, Report: "FlowFuse/flowfuse#8572", What: "status, code and error flag are lost on the way up"},
	{ID: "C25", Class: ErrClass, Report: "aws-samples/sample-agentcore-cloudfront-x402-payments#40", What: "a settlement without an answer was told as failed, and asked for a new payment",
		By: []string{"timeout-as-failure", "store-500", "gateway-error"}},
	{ID: "C26", Class: DoubleTrigger, Report: "n8n-io/n8n#15878", What: "each process registered the trigger, and each ran it"},
	{ID: "C28", Class: Unbounded, Report: "anthropics/claude-code#68362", What: "a stream that broke off was retried without a bound"},
	{ID: "C29", Class: Lease, Report: "dbos-inc/dbos-transact-java#491", What: "a recovery at the start took up what the same process was at"},
	{ID: "C31", Class: Lease, Report: "dbos-inc/dbos-transact-ts#1206", What: "of two recoverers one was told another result than what is recorded"},
	{ID: "C32", Class: AckLost, Report: "vercel/workflow#2675", What: "the report of a done step failed, and the step ran again"},
	{ID: "C34", Class: DoubleTrigger, Report: "inngest/inngest#4897", What: "a running step was planned a second time"},
	{ID: "C35", Class: KeyDropped, Report: "triggerdotdev/trigger.dev#4914", What: "a key of another shape was overlooked, and nothing was deduplicated"},
	{ID: "C37", Class: KeyPoison, Report: "triggerdotdev/trigger.dev#4819", What: "a failed run was handed back for ever under its key"},
	{ID: "C38", Class: StuckIntent, Report: "restatedev/restate#5196", What: "what was suspended waited for a result that only itself could bring"},
	{ID: "C40", Class: WholeRun, Report: "temporalio/temporal#8901", What: "a retry of the whole ran what its first run had done, under new names"},
	{ID: "C41", Class: CrashGap, Report: "temporalio/sdk-java#1563", What: "a result was in the worker's memory until the whole task was reported",
		By: []string{"handle-in-memory", "dies-having-heard"}},
	{ID: "C43", Class: Lease, Report: "dust-tt/dust#4272", What: "the deadline passed above, and the attempt below went on beside the next",
		By: []string{"stolen-lease", "redelivered-early"}},
	{ID: "C44", Class: StuckIntent, Report: "cadence-workflow/cadence#3334", What: "a completion under a wrong ID made the right one fail",
		By: []string{"notice-astray"}},
	{ID: "C46", Class: KeyExpiry, Report: "nats-io/nats-server#3272", What: "the window of a key passed, or its memory was lost, and the same message was new"},
	{ID: "C47", Class: KeyExpiry, Report: "alexfrmn/murmur#141", What: "retries under the same ID were swallowed as duplicates of a message that was never delivered"},
	{ID: "C49", Class: Lease, Report: "OptimalBits/bull#308", What: "a lock was taken after its job was done, or lost while it ran"},
	{ID: "C50", Class: Lease, Report: "riverqueue/river#1302", What: "a rescue by ID alone put a job back that had completed meanwhile"},
	{ID: "C52", Class: Lease, Report: "sidekiq/sidekiq#4611", What: "jobs that were at work were put back as orphans",
		By: []string{"recovery-by-resend", "recovery-races", "redelivered-early"}},
	{ID: "C53", Class: AckLost, Report: "bbc/sqs-consumer#83", What: "the handle to delete a handled message had expired, and it came again",
		By: []string{"done-is-forgotten", "report-lost"}},
	{ID: "C55", Class: Lease, Report: "confluentinc/librdkafka#5604", What: "the old owner of a partition committed an offset, and messages were skipped",
		Why: "a cursor acknowledges all that stands before it; drill's deliveries are acknowledged one by one"},
	{ID: "C56", Class: LostResponse, Report: "IBM/sarama#1965", What: "a producer sent what the broker had appended and not acknowledged",
		By: []string{"no-key", "lost-answer"}},
	{ID: "C58", Class: Lease, Report: "David-Crty/databasement#488", What: "a redelivery timer was shorter than the work, so that two were at it",
		By: []string{"stolen-lease", "redelivered-early"}},
	{ID: "C59", Class: LostResponse, Report: "golang/go#19943", What: "the transport sends a request with a key again by itself where a reused connection ended",
		By: []string{"transport-resends", "lost-answer"}},
	{ID: "C61", Class: LostResponse, Report: "urllib3/urllib3#1059", What: "a read that timed out was retried whatever the method was"},
	{ID: "C62", Class: LostResponse, Report: "softonic/axios-retry#66", What: "a network error counted as safe for a POST"},
	{ID: "C64", Class: LostResponse, Report: "NatLabRockies/api-umbrella#18", What: "a proxy handed a slow request to the next upstream",
		By: []string{"no-key", "proxy-retry"}},
	{ID: "C65", Class: LostResponse, Report: "etcd-io/jetcd#1444", What: "an error that says never sent or maybe done was retried"},
	{ID: "C67", Class: KeyExpiry, Report: "boto/boto3#4406", What: "a repeat under a used token failed once its object was deleted",
		Why: "once a stranger deleted it, no look-up tells that it was there; the catalogue's targets have one user, and foreign-delete-after is left to schedules by hand"},
	{ID: "C68", Class: ArgsDrift, Report: "ubicloud/ubicloud#5898", What: "a token was kept where the arguments changed"},
	{ID: "C70", Class: LostResponse, Report: "valyala/fasthttp#1875", What: "a client sent a POST again on an early end of the connection"},
	{ID: "C71", Class: LostResponse, Report: "PostHog/terraform-provider-posthog#156", What: "a retrying transport rewound and repeated every method",
		By: []string{"gateway-error-resends", "gateway-error"}},
	{ID: "C73", Class: KeyScope, Report: "stripe/stripe-ruby#598", What: "the key of a create was sent with the next call, too"},
	{ID: "C74", Class: ErrClass, Report: "stripe/stripe-go#647", What: "a retry had the key and an empty body, and the answer was a page"},
	{ID: "C76", Class: KeyUnstable, Report: "Adyen/adyen-commercetools#1305", What: "the key was derived from what changes between attempts"},
	{ID: "C77", Class: ArgsDrift, Report: "woocommerce/woocommerce-square#106", What: "a new key for the same body, and the old key for another"},
	{ID: "C79", Class: DoubleTrigger, Report: "woocommerce/woocommerce-gateway-stripe#2724", What: "the webhook came before the answer was recorded, and a refund was booked twice"},
	{ID: "C80", Class: DoubleTrigger, Report: "medusajs/medusa#13301", What: "who lost the race to capture took the good capture back",
		By: []string{"undo-on-unknown", "two-at-once"}},
	{ID: "C82", Class: StuckIntent, Report: "akira-io/laravel-sisp#302", What: "a key stayed in progress when its process had died"},
	{ID: "C83", Class: KeyUnstable, Report: "stripe/ai#402", What: "an agent planned the payment anew past its deadline, with a new key"},
	{ID: "C85", Class: KeyRace, Report: "KanishJebaMathewM/Truxify#9954", What: "an upsert made a completed key in progress again"},
	{ID: "C86", Class: KeyRace, Report: "idempot-dev/idempot-js#186", What: "who lost the race for a key was told an error"},
	{ID: "C88", Class: KeyScope, Report: "jox-sm/deepslate-rpg#104", What: "one name space of keys for all callers and resources"},
	{ID: "C89", Class: KeyPoison, Report: "LabsCrypt/remitlend#1416", What: "a passing failure was kept under the key for a day"},
	{ID: "C91", Class: KeyDropped, Report: "fullstackhero/docs#240", What: "the key was asked for under one name and kept under another"},
	{ID: "C92", Class: ErrClass, Report: "trezor/trezor-suite#30846", What: "a broadcast without an answer was shown as failed, and paid again"},
	{ID: "C94", Class: StuckIntent, Report: "crossplane/crossplane#3037", What: "a mark of a pending create waited for a person, also where the target could tell"},
	{ID: "C95", Class: CrashGap, Report: "kubernetes-sigs/cluster-api-provider-aws#5794", What: "the ID of what was made was not kept before the crash"},
	{ID: "C97", Class: StaleRead, Report: "scylladb/scylla-operator#2492", What: "a duplicate out of a stale read was cleaned away, and the one in use with it",
		By: []string{"looks-too-early", "lagging-look-up"}},
	{ID: "C98", Class: StaleRead, Report: "cert-manager/cert-manager#3603", What: "the check for what exists did not see what was on its way"},
	{ID: "C100", Class: StuckIntent, Report: "helm/helm#4558", What: "a release stayed pending, since who could end that was killed",
		By: []string{"claim-without-lease", "dies-after-commit"}},
	{ID: "C101", Class: SelfConflict, Report: "newrelic/terraform-provider-newrelic#2678", What: "a create answered with an error and was made; then its name was taken"},
	{ID: "C103", Class: SelfConflict, Report: "goreleaser/goreleaser#2746", What: "a retry met its own upload; or the second of two steps was refused, and the first one piled up"},
	{ID: "C104", Class: LostResponse, Report: "probot/probot#921", What: "an answer of 500 to a comment that was made, and a layer that repeats by status"},
	{ID: "C106", Class: ErrClass, Report: "apache/iceberg#15050", What: "a commit without an answer was taken as refused, and its files were removed"},
	{ID: "C107", Class: CrashGap, Report: "apache/airflow#68974", What: "the handle of a remote job was in the worker's memory alone"},
	{ID: "C109", Class: LostResponse, Report: "pimalaya/core#46", What: "mail was sent again after its final dot, and each connection counted anew"},
	{ID: "C110", Class: LostResponse, Report: "freescout-help-desk/freescout#5457", What: "no reply to the final dot was told as an error, and the mail went out again",
		By: []string{"timeout-as-failure", "no-key", "lost-answer"}},
	{ID: "C112", Class: DoubleTrigger, Report: "slackapi/python-slack-sdk#790", What: "a slow handler had its event again, under another ID"},
	{ID: "C113", Class: KeyUnstable, Report: "reapit/foundations#10832", What: "the event's ID was made when it was sent, by each instance"},
}
