package harness

// Failure is what a client saw of a call that brought no whole answer.
type Failure string

// What a client can see. Two that look alike to a client are one.
const (
	// FailRefused: nothing listened there.
	FailRefused Failure = "refused"
	// FailName: the host's name did not resolve.
	FailName Failure = "no-name"
	// FailClosed: the connection ended before any byte of the answer.
	FailClosed Failure = "closed"
	// FailReset: the connection was reset.
	FailReset Failure = "reset"
	// FailCut: the answer began and did not arrive whole.
	FailCut Failure = "cut"
	// FailMalformed: what arrived is no HTTP.
	FailMalformed Failure = "malformed"
	// FailGaveUp: the caller's deadline passed, or it was told to give up.
	FailGaveUp Failure = "gave-up"
	// FailOther: none of these.
	FailOther Failure = "other"
)

// Failures lists them all.
var Failures = []Failure{FailRefused, FailName, FailClosed, FailReset, FailCut, FailMalformed, FailGaveUp, FailOther}
