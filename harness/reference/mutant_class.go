package reference

// Class is one of the mechanisms by which a retry repeats, loses or corrupts a real
// effect, as public reports show them.
type Class string

// The mechanism classes.
const (
	LostResponse  Class = "LOST-RESPONSE"
	Lease         Class = "LEASE"
	ErrClass      Class = "ERRCLASS"
	KeyUnstable   Class = "KEY-UNSTABLE"
	WholeRun      Class = "WHOLE-RUN"
	CrashGap      Class = "CRASH-GAP"
	StuckIntent   Class = "STUCK-INTENT"
	DoubleTrigger Class = "DOUBLE-TRIGGER"
	KeyExpiry     Class = "KEY-EXPIRY"
	Consent       Class = "APPROVAL"
	KeyDropped    Class = "KEY-DROPPED"
	AckLost       Class = "ACK-LOST"
	StaleRead     Class = "STALE-READ"
	KeyScope      Class = "KEY-SCOPE"
	KeyRace       Class = "KEY-RACE"
	KeyPoison     Class = "KEY-POISON"
	ArgsDrift     Class = "ARGS-DRIFT"
	SelfConflict  Class = "SELF-CONFLICT"
	Unbounded     Class = "UNBOUNDED"
)

// Classes lists every class with what goes wrong in it, in the order of [Mutants].
var Classes = []struct {
	Class Class
	Doc   string
}{
	{LostResponse, "the work was done and its answer lost, and some layer sends it again unseeing"},
	{Lease, "a slow worker is taken for dead, and two act on one claim; or a late one acts on a claim that is no longer its own"},
	{ErrClass, "what is unknown is filed as failed, what is definite as worth a retry, or a layer loses the class on the way"},
	{KeyUnstable, "each attempt has another key, or the key depends on what changes between attempts"},
	{WholeRun, "a retry begins earlier than the effect that it is about"},
	{CrashGap, "a death between the effect and the record of it"},
	{StuckIntent, "a mark says that something is under way, and nobody is left who could clear it"},
	{DoubleTrigger, "one intent is started twice, by two messengers or by two who were told"},
	{KeyExpiry, "the target forgot the key, or still knows it when it should not"},
	{Consent, "the consent is not bound to what is done, to its arguments, or to one use"},
	{KeyDropped, "a key was given and does not arrive, so that nothing dedups and nobody notices"},
	{AckLost, "the work is done and the word that it is done is lost"},
	{StaleRead, "a look-up tells of a time before the effect"},
	{KeyScope, "one key serves several operations, actions or callers"},
	{KeyRace, "two claim one key because the claim is not one step, or a finished row is made unfinished"},
	{KeyPoison, "a failure is kept under the key and stands in the way for ever"},
	{ArgsDrift, "the same key or action with other arguments, carried out all the same"},
	{SelfConflict, "a retry meets what it made itself, and takes it for a stranger's; or a stranger's for its own"},
	{Unbounded, "attempts without a bound"},
}
