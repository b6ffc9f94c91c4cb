package harness

import "strings"

// Params is the form of what follows a fault's name.
type Params string

// The forms of parameters. N is a whole number, D a [Span], EVENT a [Where].
const (
	NoParams        Params = ""
	CountParams     Params = "N"
	BytesParams     Params = "N bytes"
	HeadParams      Params = "[head] N"
	StatusParams    Params = "N [retry-after D]"
	CodeParams      Params = "N [CODE]"
	SpanParams      Params = "D"
	HoldParams      Params = "until EVENT [or D]"
	UntilParams     Params = "until EVENT"
	EventParams     Params = "EVENT"
	ActionsParams   Params = "A, B"
	PointerParams   Params = "[POINTER=JSON]"
	ApprovalParams  Params = "none | stale | denied | spent | of A"
	AnswerParams    Params = "V"
	operationsPoint        = "OP"
)

// Form is how the parameters are written.
func (p Params) Form() string { return strings.TrimSuffix(string(p), " bytes") }

// FaultKind is one word of the fault vocabulary.
type FaultKind struct {
	// Point is the boundary: deliver, report, …, or OP for an operation.
	Point string `json:"point"`
	// Side is the part of an operation's crossing, else empty.
	Side Side `json:"side,omitempty"`
	// Name is the word.
	Name string `json:"name"`
	// Params is the form of what follows.
	Params Params `json:"params,omitempty"`
	// Doc says what the harness does.
	Doc string `json:"doc"`
}

// Key names the kind: "response close", "deliver times".
func (k FaultKind) Key() string {
	if k.Side != "" {
		return string(k.Side) + " " + k.Name
	}
	return k.Point + " " + k.Name
}

// Vocabulary lists every fault, in the order of an action's way: the hand-over,
// the request, the target, the answer, the record, the report. Help, docs and the
// worlds' tables of carriers are held against it.
var Vocabulary = []FaultKind{
	{Deliver, "", "times", CountParams, "N workers get it at once, with a rendezvous before the first operation and before the first mutation"},
	{Deliver, "", "at", EventParams, "handed over at EVENT, while the one before is still at work"},
	{Deliver, "", "after", SpanParams, "handed over D after the one before ended"},
	{Deliver, "", "brings", ActionsParams, "brings these actions"},
	{Deliver, "", "change", PointerParams, "carries other arguments under the same action ID, the approval staying the old one"},
	{Deliver, "", "respell", NoParams, "carries the same arguments spelled otherwise; the opposite control"},
	{Deliver, "", "equivalent", NoParams, "carries the same arguments in another spelling of their normal form: lists without order turned round, amounts in units"},
	{Deliver, "", "new-trigger", NoParams, "carries a new trigger key with the same action"},
	{Deliver, "", "new-action", NoParams, "carries the same trigger key and arguments under a new action ID: the producer minted twice"},
	{Deliver, "", "approval", ApprovalParams, "carries no, a stale, a denied or a spent approval, or another action's"},
	{Deliver, "", "re-approve", PointerParams, "carries a new approval of the same action ID, after a definite rejection"},
	{Deliver, "", "answer", AnswerParams, "carries a person's answer to what was waited for: yes brings the approval that was missing, no denies it"},
	{Deliver, "", "down", NoParams, "the target refuses connections while it is at work; live links are closed first"},
	{Deliver, "", "no-name", NoParams, "the target's name does not resolve while it is at work"},
	{Deliver, "", "no-tls", NoParams, "the TLS handshake fails while it is at work"},
	{Deliver, "", "recover", NoParams, "a worker starts and is handed nothing"},
	{Deliver, "", "elsewhere", NoParams, "an empty state directory: another machine"},

	{operationsPoint, Request, "close", NoParams, "the connection is closed (FIN)"},
	{operationsPoint, Request, "reset", NoParams, "the connection is reset (RST)"},
	{operationsPoint, Request, "hang", NoParams, "silence until the client closes or the delivery ends"},
	{operationsPoint, Request, "cut", BytesParams, "closed after the whole head and N bytes of the body"},
	{operationsPoint, Request, "status", StatusParams, "answered on the way with status N"},
	{operationsPoint, Request, "delay", SpanParams, "reaches the target D later"},
	{operationsPoint, Request, "duplicate", NoParams, "a proxy sends it twice and passes the second answer on"},
	{operationsPoint, Request, "kill", NoParams, "the worker is SIGKILLed"},
	{operationsPoint, Request, "stop", SpanParams, "the worker gets SIGTERM while it waits, and SIGKILL where it has not ended after D"},
	{operationsPoint, Request, "cancel", NoParams, "the caller gives up, the worker lives"},
	{operationsPoint, Request, "hold", HoldParams, "reaches the target once EVENT happened"},

	{operationsPoint, Target, "reject", CodeParams, "nothing is committed, the target answers N; kept under the key as the profile says"},
	{operationsPoint, Target, "fail", CountParams, "commits, then answers N; kept under the key as the profile says"},
	{operationsPoint, Target, "swallow", NoParams, "answers as to a duplicate and commits nothing"},
	{operationsPoint, Target, "restart", NoParams, "keys are forgotten, effects are kept"},
	{operationsPoint, Target, "hold", HoldParams, "the key is claimed and the effect not yet committed until EVENT happened"},

	{operationsPoint, Response, "close", NoParams, "the connection is closed (FIN)"},
	{operationsPoint, Response, "reset", NoParams, "the connection is reset (RST)"},
	{operationsPoint, Response, "hang", NoParams, "silence until the client closes or the delivery ends"},
	{operationsPoint, Response, "truncate", HeadParams, "closed after the whole head and N bytes of the body, or after N bytes of the head"},
	{operationsPoint, Response, "status", CountParams, "status N in place of the answer; only one that the profile calls unknown"},
	{operationsPoint, Response, "html", NoParams, "a gateway's HTML page with status 502 in place of the answer"},
	{operationsPoint, Response, "delay", SpanParams, "arrives D later"},
	{operationsPoint, Response, "kill", NoParams, "the worker is SIGKILLed before it hears"},
	{operationsPoint, Response, "stop", SpanParams, "the worker gets SIGTERM before it hears, and SIGKILL where it has not ended after D"},
	{operationsPoint, Response, "cancel", NoParams, "the caller gives up, the worker lives"},
	{operationsPoint, Response, "kill-after", NoParams, "the worker is killed once it heard: at the next request, write or report of its own, which is not made"},
	{operationsPoint, Response, "pause", SpanParams, "the worker is stopped with it on the way, for D and until another one is done that takes over where the queue hides the delivery no longer; then it goes on"},
	{operationsPoint, Response, "hold", HoldParams, "arrives once EVENT happened"},

	{Record, "", "fail", NoParams, "the executor's own write fails"},
	{Record, "", "conflict", NoParams, "the executor's own write meets a conflict"},
	{Record, "", "lose", NoParams, "acknowledged, gone at the next start"},
	{Record, "", "kill-before", NoParams, "the worker is killed before its write"},
	{Record, "", "kill-after", NoParams, "the worker is killed after its write"},
	{Record, "", "hold", UntilParams, "the write waits until EVENT happened"},

	{AtReport, "", "lose", NoParams, "the acknowledgement is lost: redelivery"},
	{AtReport, "", "kill", NoParams, "the worker is SIGKILLed when its report is read; the delivery failed"},

	{Lease, "", "expire", NoParams, "the queue's lease runs out"},
	{Lease, "", "lose", NoParams, "the renewal is lost"},
	{Lease, "", "refuse", NoParams, "the renewal is refused"},
	{Lease, "", "late", NoParams, "the renewal arrives late"},
	{Ack, "", "expire", NoParams, "the hand-over had expired"},
	{Ack, "", "lose", NoParams, "the acknowledgement is lost"},
	{Ack, "", "refuse", NoParams, "the acknowledgement is refused"},
	{Ack, "", "late", NoParams, "the acknowledgement arrives late"},

	{AtEvent, "", "early", NoParams, "what the target tells by itself arrives before its answer"},
	{AtEvent, "", "late", NoParams, "it arrives late"},
	{AtEvent, "", "lose", NoParams, "it is lost"},
	{AtEvent, "", "twice", NoParams, "it arrives twice"},
	{AtEvent, "", "new-id", NoParams, "it arrives again under another ID"},
	{AtEvent, "", "foreign", NoParams, "it tells of somebody else's effect"},
}

type word struct {
	kind FaultKind
	key  string
}

// words are those of the vocabulary by the first letters of their names: of one letter
// there are few.
var words = func() (out [1 << 8][]word) {
	for _, k := range Vocabulary {
		out[k.Name[0]] = append(out[k.Name[0]], word{k, k.Key()})
	}
	return out
}()

// unknown is what a name is that is no word at a boundary.
var unknown word

// wordAt finds the word at a boundary, or [unknown].
func wordAt(point string, side Side, name string) *word {
	if name == "" {
		return &unknown
	}
	of := words[name[0]]
	for i := range of {
		if k := &of[i].kind; k.Name == name && k.Side == side && k.Point == point {
			return &of[i]
		}
	}
	return &unknown
}

// kindAt finds the kind of the word at a boundary.
func kindAt(point string, side Side, name string) (FaultKind, bool) {
	w := wordAt(point, side, name)
	return w.kind, w != &unknown
}

// kindNames lists the words at a boundary, in the vocabulary's order.
func kindNames(point string, side Side) []string {
	var out []string
	for _, k := range Vocabulary {
		if k.Point == point && k.Side == side {
			out = append(out, k.Name)
		}
	}
	return out
}
