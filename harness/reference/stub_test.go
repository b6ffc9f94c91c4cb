package reference

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/policy"
	"github.com/retrydrill/drill/harness/receipt"
	"github.com/retrydrill/drill/harness/worker"
	"github.com/retrydrill/drill/targets"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if builtin, is := worker.Child(builtins()); is {
		os.Exit(builtin)
	}
	// A life that a test takes down inside a call leaves the call's timer behind.
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("net/http.setRequestCancel.func4"))
}

func builtins() map[string]worker.New {
	out := map[string]worker.New{}
	for _, e := range Executors {
		out[e.Name] = e.New
	}
	return out
}

// virtual is a clock that a sleep moves on at once.
type virtual struct {
	mu  sync.Mutex
	now time.Time
}

func (c *virtual) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *virtual) Sleep(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	return ctx.Err()
}

// What a stub does to a request that the script names; anything else passes.
const (
	unreachable = "refused"  // no connection
	torn        = "torn"     // nothing arrives, nothing is heard
	lost        = "lost"     // commits, nothing is heard
	card        = "402"      // refused for good, kept under the key
	unheard     = "402?"     // refused for good, kept under the key, nothing is heard
	broken      = "500"      // fails, kept under the key
	throttle    = "429"      // refused for now, one second
	busy        = "409"      // the key is in use
	denied      = "403"      // refused before the key is looked at, and not kept under it
	behind      = "behind"   // a look-up that does not show yet what is there
	takeover    = "takeover" // commits, and meanwhile another worker takes the receipt over
	pausing     = "pausing"  // a look-up after which the worker stands still, and what was sent first arrives late
)

// stub is a target with a script: what happens to the n-th create and the n-th find.
type stub struct {
	clock    *virtual
	promises harness.Promises
	creates  []string
	finds    []string

	effects []targets.Object
	kept    map[string]kept
	sent    []targets.Write
	sentAt  []time.Time
	looked  []time.Time
	// unmarked: it does not say that an answer is a replay.
	unmarked bool
	// onTakeover runs where the script says so.
	onTakeover func()
}

type kept struct {
	digest string
	out    targets.Outcome
}

func word(script []string, n int) string {
	if n < len(script) {
		return script[n]
	}
	return ""
}

var errLost = errors.New("EOF")

func (s *stub) Do(_ context.Context, _ string, w targets.Write) targets.Outcome {
	fault := word(s.creates, len(s.sent))
	s.sent, s.sentAt = append(s.sent, w), append(s.sentAt, s.clock.Now())
	s.clock.Sleep(context.Background(), time.Millisecond)
	switch fault {
	case unreachable:
		return targets.Outcome{Class: harness.NeverDispatched, Err: errors.New("refused")}
	case torn:
		return targets.Outcome{Class: harness.Unknown, Err: errLost}
	case throttle:
		return targets.Outcome{Class: harness.RejectedTransient, Status: 429, RetryAfter: time.Second}
	case busy:
		return targets.Outcome{Class: harness.Unknown, Status: 409, Code: "idempotency_key_in_use"}
	case denied:
		return targets.Outcome{Class: harness.RejectedPermanent, Status: 403}
	}
	out := s.answer(w, fault)
	switch fault {
	case takeover:
		s.onTakeover()
	case lost, unheard:
		return targets.Outcome{Class: harness.Unknown, Err: errLost}
	}
	return out
}

// answer is the target's own: what the key holds, or what it makes of the request.
func (s *stub) answer(w targets.Write, fault string) targets.Outcome {
	digest := w.Arguments.Digest()
	if k, ok := s.kept[w.Key]; ok {
		if k.digest != digest {
			return targets.Outcome{Class: harness.RejectedPermanent, Status: 400, Code: "idempotency_error"}
		}
		out := k.out
		out.Replayed = !s.unmarked
		return out
	}
	var out targets.Outcome
	switch fault {
	case card, unheard:
		out = targets.Outcome{Class: harness.RejectedPermanent, Status: 402, Code: "card_declined"}
	case broken:
		out = targets.Outcome{Class: harness.Unknown, Status: 500}
	default:
		o := targets.Object{Resource: fmt.Sprintf("re_%d", len(s.effects)+1), Reference: w.ActionID, Arguments: digest}
		if s.promises.Reference == "" {
			o.Reference = ""
		}
		s.effects = append(s.effects, o)
		out = targets.Outcome{Class: harness.Confirmed, Status: 200, Resource: o.Resource, RequestID: "req_1"}
	}
	if w.Key != "" && s.promises.Key.Kept {
		s.kept[w.Key] = kept{digest, out}
	}
	return out
}

// Undo is not in its script: its effects have one part.
func (s *stub) Undo(context.Context, string, string, targets.Write) targets.Outcome {
	panic("there is nothing to undo")
}

func (s *stub) Look(context.Context, string, targets.Write) ([]targets.Object, targets.Outcome) {
	fault := word(s.finds, len(s.looked))
	s.looked = append(s.looked, s.clock.Now())
	switch fault {
	case "":
	case pausing:
		before := append([]targets.Object{}, s.effects...)
		s.clock.Sleep(context.Background(), time.Second)
		s.answer(s.sent[0], "")
		return before, targets.Outcome{Class: harness.Confirmed, Status: 200}
	case behind:
		return nil, targets.Outcome{Class: harness.Confirmed, Status: 200}
	default:
		return nil, targets.Outcome{Class: harness.Unknown, Err: errLost}
	}
	return append([]targets.Object{}, s.effects...), targets.Outcome{Class: harness.Confirmed, Status: 200}
}

// bench is one trial against a stub.
type bench struct {
	t      *testing.T
	stub   *stub
	store  receipt.Store
	rules  Rules
	env    worker.Env
	worker int
}

var began = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func newBench(t *testing.T, script ...string) *bench {
	clock := &virtual{now: began}
	promises := mustProfile(t).Promises()
	promises.Key.Unkept = append(slices.Clip(promises.Key.Unkept), 403)
	b := &bench{
		t: t, rules: Careful(), store: receipt.NewMemory(), worker: 1,
		stub: &stub{clock: clock, promises: promises, creates: script, kept: map[string]kept{}},
		env: worker.Env{
			Worker: 1, ClientDeadline: 300 * time.Millisecond, Lease: 400 * time.Millisecond, PolicyVersion: "1",
			Clock: clock, Seed: 7, Log: slog.New(slog.DiscardHandler),
		},
	}
	return b
}

// job brings actions in delivery n.
func job(n int, actions ...worker.JobAction) worker.Job {
	return worker.Job{Protocol: worker.Protocol, Deliver: worker.DeliverActions, Delivery: n, TriggerKey: "trigger", Actions: actions}
}

// action is an approved refund.
func action(id string, amount int) worker.JobAction {
	args := harness.Arguments{"charge": "ch_1", "amount": int64(amount)}
	return worker.JobAction{
		ActionID: id, BusinessKey: "ch_1", Effect: "refund", Arguments: args, ArgumentsSHA256: args.Digest(),
		Approval: harness.Approval{ID: "approval-" + id, ArgumentsSHA256: args.Digest(), PolicyVersion: "1", Status: harness.Granted,
			ValidUntil: "2030-01-01T00:00:00Z", SingleUse: true},
	}
}

// deliver runs one delivery in a new life.
func (b *bench) deliver(j worker.Job) ([]harness.Report, error) {
	b.t.Helper()
	env := b.env
	env.Worker = b.worker
	x := &executor{outfit: &outfit{rules: b.rules, policy: mustPolicy(b.t, b.env.Policy), promises: b.stub.promises, profile: asIs{}},
		target: b.stub, store: receipt.Placed(b.store), env: env}
	var out []harness.Report
	err := x.run(b.t.Context(), j, func(r harness.Report) { out = append(out, r) })
	return out, err
}

// one runs one delivery of one action that has to be reported.
func (b *bench) one(j worker.Job) harness.Report {
	b.t.Helper()
	out, err := b.deliver(j)
	require.NoError(b.t, err)
	require.Len(b.t, out, 1)
	return out[0]
}

func (b *bench) receipt(id string) receipt.Receipt {
	b.t.Helper()
	r, err := b.store.Get(b.t.Context(), id)
	require.NoError(b.t, err)
	return r
}

func (b *bench) keys() []string {
	var out []string
	for _, w := range b.stub.sent {
		out = append(out, w.Key)
	}
	return out
}

// states are those of a receipt's history.
func states(r receipt.Receipt) []receipt.State {
	var out []receipt.State
	for _, e := range r.History {
		out = append(out, e.State)
	}
	return out
}

func mustPolicy(t *testing.T, text string) policy.Policy {
	t.Helper()
	p, err := policyOf(text)
	require.NoError(t, err)
	return p
}

// asIs is a profile that takes all arguments, reads them as they are, and keeps every
// answer.
type asIs struct{}

func (asIs) CheckAction(harness.Action) error { return nil }
func (asIs) Namer() harness.Namer             { return asIsNamer{} }

func (asIs) Normalise(_ string, a harness.Arguments) (*targets.Normalised, error) {
	d := a.Digest()
	return &targets.Normalised{Arguments: a, Came: d, Digest: d}, nil
}

type asIsNamer struct{ harness.Namer }

func (asIsNamer) Digest(a harness.Arguments) string           { return a.Digest() }
func (asIsNamer) Digests(harness.Arguments) map[string]string { return nil }

// unwritable is a store that takes everything but one state.
type unwritable struct {
	receipt.Store
	state receipt.State
}

func (u unwritable) Write(ctx context.Context, from receipt.State, r receipt.Receipt) error {
	if r.State == u.state {
		return receipt.ErrUnwritable
	}
	return u.Store.Write(ctx, from, r)
}
