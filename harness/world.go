package harness

import (
	"context"
	"time"
)

// Crossing is one request on its way from a worker to the target. The tap makes
// it and passes it to the target out of band, in the request's context.
type Crossing struct {
	// Attempt numbers every request of the trial, from 1; a proxy's copy has its
	// original's number.
	Attempt int
	// Copy: a proxy sent it a second time.
	Copy bool
	// Named is what the target's own namer read in the request, or nil. Nobody changes it,
	// and as long as somebody has it no other request is read to the same one.
	Named *Named
	// Inside is called by a fake once the key is claimed and before the effect is
	// committed; it returns what the schedule wants there. It may block (hold). A
	// nil Inside passes.
	Inside func(ctx context.Context) TargetDecision
	// Wait is how a fake waits for what another request does; nil waits as usual. See
	// [Crossing.Await].
	Wait func(<-chan struct{}) error

	within context.Context
}

// TargetDecision is what the target itself does instead of its own way.
type TargetDecision struct {
	// Name is empty (pass), reject, fail, swallow or restart.
	Name string
	// Status and Code go with reject and fail.
	Status int
	Code   string
	// Fired is called by the target once it did so; nil where there is nothing to tell.
	Fired func()
}

type crossingKey struct{}

// WithCrossing returns a context that carries c.
func WithCrossing(ctx context.Context, c *Crossing) context.Context { return c.In(ctx) }

// In returns ctx with the crossing in it. It is the same context each time, within
// what was given last: a crossing goes one way at once.
func (c *Crossing) In(ctx context.Context) context.Context {
	c.within = ctx
	return (*crossingContext)(c)
}

// crossingContext is a crossing as the context that carries it.
type crossingContext Crossing

func (c *crossingContext) Deadline() (time.Time, bool) { return c.within.Deadline() }
func (c *crossingContext) Done() <-chan struct{}       { return c.within.Done() }
func (c *crossingContext) Err() error                  { return c.within.Err() }

func (c *crossingContext) Value(key any) any {
	if _, ok := key.(crossingKey); ok {
		return (*Crossing)(c)
	}
	return c.within.Value(key)
}

// CrossingFrom returns the crossing of a request, or one that passes everything.
func CrossingFrom(ctx context.Context) *Crossing {
	switch c := ctx.(type) {
	case *crossingContext:
		return (*Crossing)(c)
	default:
		if c, ok := ctx.Value(crossingKey{}).(*Crossing); ok {
			return c
		}
	}
	return &Crossing{}
}

// AtCommit asks Inside, or passes.
func (c *Crossing) AtCommit(ctx context.Context) TargetDecision {
	if c.Inside == nil {
		return TargetDecision{}
	}
	return c.Inside(ctx)
}

// Await waits for the channel to be closed, in the way of the request's world, or
// for the end of ctx.
func (c *Crossing) Await(ctx context.Context, ch <-chan struct{}) error {
	if c.Wait != nil {
		return c.Wait(ch)
	}
	select {
	case <-ch:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Effect is one entry of a ledger: a change that the target committed.
type Effect struct {
	// Seq counts the entries of one ledger from 1.
	Seq int `json:"seq"`
	// Resource is the ID of what was made or undone.
	Resource string `json:"resource"`
	// Op is the operation that did it; empty where nobody asked (work that failed
	// after it was accepted, a stranger's deletion).
	Op string `json:"op"`
	// Kind is do or undo.
	Kind string `json:"kind"`
	// Part is empty unless the profile names several.
	Part string `json:"part,omitempty"`
	// BusinessKey, Key and Reference are as the request had them.
	BusinessKey string `json:"business_key,omitempty"`
	Key         string `json:"key,omitempty"`
	Reference   string `json:"reference,omitempty"`
	// Arguments is the digest of the arguments as the profile reads them.
	Arguments string `json:"arguments,omitempty"`
	// Rests are the resources of earlier steps that this one was built on.
	Rests []string `json:"rests,omitempty"`
	// At is the offset on the world's clock.
	At Duration `json:"at"`
	// Attempt is the tap's number, 0 for what did not come through a tap.
	Attempt int `json:"attempt,omitempty"`
	// Copy: the request was a proxy's copy.
	Copy bool `json:"copy,omitempty"`
	// Foreign: done by the harness as a stranger.
	Foreign bool `json:"foreign,omitempty"`
	// Present: there before the trial, as of an earlier run of the action.
	Present bool `json:"present,omitempty"`
}

// The kinds of an effect.
const (
	Do   = "do"
	Undo = "undo"
)

// RawRequest is what a [Namer] reads. Body is nil where only the head is known.
type RawRequest struct {
	Method, Path, Query string
	Header              map[string][]string
	Body                []byte
}

// Named is what a profile reads out of a request.
type Named struct {
	// Op is the operation, or empty where the profile knows none.
	Op string
	// Changes: the operation changes something.
	Changes bool
	// Key is the idempotency key, empty where none was sent.
	Key string
	// BusinessKey and Reference as far as the request tells them.
	BusinessKey, Reference string
	// Arguments is the digest of the arguments as the profile reads them; empty
	// for an operation that changes nothing.
	Arguments string
	// Resource is the ID in the path, where there is one.
	Resource string
	// Made maps an earlier step to the ID of its that the request carries.
	Made map[string]string
}

// RawAnswer is a whole answer.
type RawAnswer struct {
	Status int
	Header map[string][]string
	Body   []byte
}

// Answered is what a profile reads out of an answer.
type Answered struct {
	// Code is the error code.
	Code string
	// Resource is the ID of what was made or read.
	Resource string
	// Replayed: the answer carries the profile's replay marker.
	Replayed bool
	// Found lists the objects of a look-up's page.
	Found []Found
	// More: the look-up has another page.
	More bool
	// Opaque: the body is not of the profile's shape (HTML, cut JSON). What it means
	// is unknown, whatever its status.
	Opaque bool
}

// Found is one object that a look-up told of.
type Found struct {
	Resource  string `json:"resource"`
	Reference string `json:"reference,omitempty"`
	Arguments string `json:"arguments,omitempty"`
	// Undone: the object has what an undo leaves.
	Undone bool `json:"undone,omitempty"`
}

// Namer reads requests and answers as a profile describes them.
type Namer interface {
	// Name reads a request. What it returns belongs to everybody who asks: nobody changes
	// it. The same goes for Answer.
	Name(RawRequest) *Named
	// Answer reads an answer to a request of the operation.
	Answer(op string, a RawAnswer) *Answered
	// Error is an error answer in the profile's own shape.
	Error(status int, code string) RawAnswer
	// Digest returns the digest of an action's arguments as the profile reads them,
	// to be compared with Named.Arguments.
	Digest(Arguments) string
	// Digests returns such a digest for each step of an effect of several parts; nil
	// where an effect has one part.
	Digests(Arguments) map[string]string
}

// World carries out schedules.
type World interface {
	// Run carries out one trial. An error means that the harness could not do its
	// work; a history can come with it.
	Run(ctx context.Context, s Schedule) (*History, error)
	// Close ends everything that the world holds.
	Close() error
}

// Reuser is a world that makes histories in the room of those that nobody reads any
// more. A search reads thousands of short ones, and keeps few.
type Reuser interface {
	World
	// Reuse takes a history of this world back. Nobody may hold on to it or to one of its
	// events; what their texts say stays.
	Reuse(*History)
}

// Reuse gives a history back to the world that made it, if that makes use of it.
func Reuse(w World, h *History) {
	if r, ok := w.(Reuser); ok {
		r.Reuse(h)
	}
}

// Clock is a world's clock.
type Clock interface {
	Now() time.Time
	Sleep(ctx context.Context, d time.Duration) error
}

// SystemClock is the clock of real worlds.
type SystemClock struct{}

// Now returns the real time.
func (SystemClock) Now() time.Time { return time.Now() }

// Sleep waits for d or for the end of ctx.
func (SystemClock) Sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
