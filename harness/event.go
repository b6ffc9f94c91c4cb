package harness

import "fmt"

// EventKind names what happened. It is a number, since a trial compares it many times; in
// a history stands its word.
type EventKind uint8

const (
	// EvDeliver: a delivery is handed to a worker.
	EvDeliver EventKind = iota + 1
	// EvRequest: a whole request reached the tap.
	EvRequest
	// EvTorn: a request ended before it was whole. It has no number.
	EvTorn
	// EvRefused: a request of an older incarnation, or with a foreign token, or a
	// connection to the refusing proxy. Note says which.
	EvRefused
	// EvEffect: the target committed an effect.
	EvEffect
	// EvAnswer: the target's whole answer is at the tap. Not yet at the worker.
	EvAnswer
	// EvPassed: an answer left for the worker (Status says which: the target's own,
	// or what stands in its place). Never proof that it was heard.
	EvPassed
	// EvLost: the worker gets no answer to this request (Fault says why).
	EvLost
	// EvHeard: a client from Env returned to the executor. Sends counts what the
	// transport sent for that one call.
	EvHeard
	// EvFault: a fault was carried out.
	EvFault
	// EvHold: a hold or rendezvous ended; Note is met, not-met or timed-out.
	EvHold
	// EvRecord: a write of the executor's own store ended; Note says how: written,
	// refused (by the store itself), failed, conflict, lost, gone.
	EvRecord
	// EvNotice: the target told of something by itself.
	EvNotice
	// EvReport: a report was read.
	EvReport
	// EvEnd: a life of a worker ended; Note says how.
	EvEnd
	// EvAck: a delivery was acknowledged; EvNack: it was not, Note says why.
	EvAck
	EvNack
	// EvBound: a bound of the trial was hit.
	EvBound
	// EvLeak: the target's token showed; Note says where.
	EvLeak
	// EvDisagree: two rules of attribution named different actions.
	EvDisagree
	// EvLog: a line that the worker printed and that is no report.
	EvLog
	// EvSlow: something took Late longer than it should, by no line of the schedule:
	// enough to matter against the declared deadlines. Note says what.
	EvSlow
	// EvState: the trial ended and its state directories hold N files.
	EvState
)

// kindWords are the words of the kinds; nothing has the first.
var kindWords = [...]string{
	EvDeliver:  "deliver",
	EvRequest:  "request",
	EvTorn:     "torn",
	EvRefused:  "refused",
	EvEffect:   "effect",
	EvAnswer:   "answer",
	EvPassed:   "passed",
	EvLost:     "lost",
	EvHeard:    "heard",
	EvFault:    "fault",
	EvHold:     "hold",
	EvRecord:   "record",
	EvNotice:   "notice",
	EvReport:   "report",
	EvEnd:      "end",
	EvAck:      "ack",
	EvNack:     "nack",
	EvBound:    "bound",
	EvLeak:     "leak",
	EvDisagree: "disagree",
	EvLog:      "log",
	EvSlow:     "slow",
	EvState:    "state",
}

// EventKinds lists every kind.
var EventKinds = func() (all []EventKind) {
	for k := range kindWords[1:] {
		all = append(all, EventKind(k+1))
	}
	return all
}()

// String returns the kind's word.
func (k EventKind) String() string {
	if int(k) < len(kindWords) {
		return kindWords[k]
	}
	return fmt.Sprintf("kind %d", k)
}

// MarshalText makes a kind its word.
func (k EventKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads what MarshalText wrote. The error names a word that is no kind.
func (k *EventKind) UnmarshalText(b []byte) error {
	for i, word := range kindWords {
		if word == string(b) {
			*k = EventKind(i)
			return nil
		}
	}
	return fmt.Errorf("%q is no kind of event", b)
}

// Event is one line of a history. Which fields are set depends on the kind.
type Event struct {
	// Seq counts from 1.
	Seq int `json:"seq"`
	// At is the offset from the trial's start on the world's clock.
	At   Duration  `json:"at"`
	Kind EventKind `json:"kind"`
	// Worker is the slot, Incarnation the life in it, Delivery the hand-over.
	Worker      int `json:"worker,omitempty"`
	Incarnation int `json:"incarnation,omitempty"`
	Delivery    int `json:"delivery,omitempty"`
	// Action is the action by name; Rule is the rule of attribution (1 to 4).
	Action string `json:"action,omitempty"`
	Rule   int    `json:"rule,omitempty"`
	// Attempt numbers the requests of the trial; Op and N count under the operation.
	Attempt int    `json:"attempt,omitempty"`
	Op      string `json:"op,omitempty"`
	N       int    `json:"n,omitempty"`
	// Copy: a proxy's copy of attempt Attempt (create#1+).
	Copy bool `json:"copy,omitempty"`
	// Changes: the operation changes something.
	Changes bool `json:"changes,omitempty"`
	// Conn numbers the connections of the trial; Warm: it had carried a request.
	Conn int  `json:"conn,omitempty"`
	Warm bool `json:"warm,omitempty"`
	// What the profile reads in the request.
	Key         string `json:"key,omitempty"`
	BusinessKey string `json:"business_key,omitempty"`
	Reference   string `json:"reference,omitempty"`
	// Arguments is the digest as the profile reads them; Body of the raw body.
	Arguments string `json:"arguments,omitempty"`
	Body      string `json:"body,omitempty"`
	Method    string `json:"method,omitempty"`
	Path      string `json:"path,omitempty"`
	// What stands in an answer.
	Status     int      `json:"status,omitempty"`
	Code       string   `json:"code,omitempty"`
	Class      Class    `json:"class,omitempty"`
	Resource   string   `json:"resource,omitempty"`
	Replayed   bool     `json:"replayed,omitempty"`
	Found      []Found  `json:"found,omitempty"`
	More       bool     `json:"more,omitempty"`
	RetryAfter Duration `json:"retry_after,omitempty"`
	// Own: the answer is the target's own, not one that stands in its place.
	Own bool `json:"own,omitempty"`
	// Sends counts what a transport sent for one call (EvHeard).
	Sends int `json:"sends,omitempty"`
	// Failure is what the client saw where it got no whole answer (EvHeard).
	Failure Failure `json:"failure,omitempty"`
	// Fault is the line that fired or that lost an answer.
	Fault string `json:"fault,omitempty"`
	// Effect is the ledger's entry.
	Effect *Effect `json:"effect,omitempty"`
	// Record is what the executor wrote into its own store.
	Record *Recorded `json:"record,omitempty"`
	// Notice is what the target told by itself.
	Notice *Notice `json:"notice,omitempty"`
	// Report is what was reported.
	Report *Report `json:"report,omitempty"`
	// Deliver is what was handed over.
	Deliver *Delivered `json:"deliver,omitempty"`
	// Late is by how much something was late (EvSlow).
	Late Duration `json:"late,omitempty"`
	Note string   `json:"note,omitempty"`
}

// Recorded is one write of an executor's own store.
type Recorded struct {
	// State is what the store holds of the action then (sent: a request may leave).
	State string `json:"state"`
	// Attempt counts the requests that it allows so far.
	Attempt int `json:"attempt,omitempty"`
}

// RecordSent is the state of a record that allows one more request.
const RecordSent = "sent"

// Report is one line of a worker's output.
type Report struct {
	ActionID   string  `json:"action_id"`
	Outcome    Outcome `json:"outcome"`
	Resource   string  `json:"resource_id,omitempty"`
	ErrorClass string  `json:"error_class,omitempty"`
	WaitsFor   string  `json:"waits_for,omitempty"`
	Detail     string  `json:"detail,omitempty"`
}

// Delivered is what one hand-over brought.
type Delivered struct {
	TriggerKey string            `json:"trigger_key"`
	Actions    []DeliveredAction `json:"actions"`
	// Event is the notice that was handed over in place of actions.
	Event *Notice `json:"event,omitempty"`
	// How lists the schedule's deliver lines that shaped it.
	How []string `json:"how,omitempty"`
}

// DeliveredAction is one action as it was handed over.
type DeliveredAction struct {
	// Name is the action's; a minted twin has a name of its own (A') and As, the
	// action that it doubles.
	Name        string `json:"name"`
	As          string `json:"as,omitempty"`
	ID          string `json:"action_id"`
	BusinessKey string `json:"business_key"`
	// Digest is of the arguments as handed over; Wire as the profile reads them.
	Digest string `json:"digest"`
	Wire   string `json:"wire"`
	// Wires are such digests by step, where an effect has several parts.
	Wires    map[string]string `json:"wires,omitempty"`
	Approval Approval          `json:"approval"`
	// Covered: a valid approval of this action covers these arguments. The world
	// knows, since it made them; a stale, spent, denied or borrowed one does not.
	Covered bool `json:"covered"`
}

// WireOf returns the digest of the arguments as the profile reads them at an
// operation.
func (d *DeliveredAction) WireOf(op string) string {
	if w, ok := d.Wires[op]; ok {
		return w
	}
	return d.Wire
}
