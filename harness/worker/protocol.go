package worker

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/retrydrill/drill/harness"
)

// Protocol is the version of the worker protocol.
const Protocol = 1

// Job is what one delivery hands to a worker, on its standard input.
type Job struct {
	Protocol   int         `json:"protocol"`
	Deliver    string      `json:"deliver"`
	Delivery   int         `json:"delivery"`
	TriggerKey string      `json:"trigger_key"`
	Actions    []JobAction `json:"actions"`
	Answer     any         `json:"answer,omitempty"`
	// Event is a notice of the target, where Deliver is event.
	Event *Event `json:"event,omitempty"`
}

// Event is what a target told by itself, as a webhook brings it. Nothing vouches for
// it.
type Event struct {
	ID          string `json:"id"`
	Type        string `json:"type"`
	ResourceID  string `json:"resource_id"`
	BusinessKey string `json:"business_key,omitempty"`
	Reference   string `json:"reference,omitempty"`
}

// The values of Job.Deliver.
const (
	DeliverActions = "actions"
	DeliverRecover = "recover"
	DeliverEvent   = "event"
)

// JobAction is one action as a worker sees it.
type JobAction struct {
	ActionID        string            `json:"action_id"`
	BusinessKey     string            `json:"business_key"`
	Effect          string            `json:"effect"`
	Arguments       harness.Arguments `json:"arguments"`
	ArgumentsSHA256 string            `json:"arguments_sha256"`
	Approval        harness.Approval  `json:"approval"`
}

// Env is all that an executor needs of its surroundings. A world fills it; a
// child process reads it from the environment.
type Env struct {
	// TargetURL is the base URL, without a slash at the end.
	TargetURL string
	Token     string
	StateDir  string
	// Receipts is the connection string of a Postgres database in which a built-in
	// executor keeps its receipts, each StateDir's by themselves; empty keeps them in
	// StateDir.
	Receipts string
	// Worker is the slot, from 1.
	Worker int
	// ClientDeadline bounds one HTTP call. Lease is the lease on a receipt.
	// KeyRetention is how long the target remembers a key; 0 is without end.
	ClientDeadline, Lease, KeyRetention time.Duration
	PolicyVersion                       string
	// Policy is the retry policy to follow, as a document; empty is the executor's own.
	Policy string
	// Profile names the target's profile, for executors that act on any.
	Profile string
	// HTTP is the client to use; it carries no deadline of its own, see [Env.Client].
	HTTP *http.Client
	// Dial opens a connection to the target, for an executor that brings a transport of
	// its own; nil in the sim, which has no connections.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Memory stands in for StateDir, which is then a name and no directory; nil where
	// there are files.
	Memory Memory
	// Records stands at the writes of the executor's own store; nil where nobody does.
	Records RecordGate
	// Clock is the world's clock.
	Clock harness.Clock
	// Seed is the source of whatever is drawn.
	Seed uint64
	Log  *slog.Logger
}

// Func is an executor as a Go function: one call handles one delivery. It calls
// report for each action as soon as its outcome is durable; an error is a failed
// delivery, as an exit status other than 0 is.
type Func func(ctx context.Context, env Env, job Job, report func(harness.Report)) error

// New builds a Func afresh for each incarnation; close ends what it holds.
type New func(env Env) (run Func, close func() error, err error)
