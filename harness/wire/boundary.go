package wire

import (
	"context"
	"time"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/tap"
)

// boundary is the tap in front of one target, and all that a fault at an exchange is
// carried out with.
type boundary struct {
	target  *tap.Target
	session *tap.Session
	handler *tap.Handler
	limits  harness.Limits
	// crew is asked while a request is held; nil where drill owns no worker.
	crew crew
}

// crew knows whether anybody is left who could do what a held request waits for.
type crew interface {
	// holdBegins marks a worker as held; the channel is closed once nobody is left.
	holdBegins(worker int) <-chan struct{}
	holdEnds(hopeless <-chan struct{})
}

// open puts the tap in front of the target. What the target does hangs on ctx.
func (b *boundary) open(ctx context.Context, s harness.Schedule, start time.Time, token string) {
	rec := tap.NewRecorder(func() time.Duration { return time.Since(start) }, token)
	b.limits = s.Limits
	b.session = tap.NewSession(s, b.target.Namer, rec)
	// What stands at the target before anything is asked is on record too.
	for _, planted := range b.target.Effects() {
		b.session.Effect(planted)
	}
	b.target.Watch(b.session.Effect)
	b.handler = &tap.Handler{Session: b.session, Target: b.target, Inside: b.inside, Carry: b.carry, Context: ctx}
}

// carry finds the carrier of a fault.
func (b *boundary) carry(f *harness.Fault) tap.Carrier {
	c := carriers[f.Kind().Key()]
	return func(ctx context.Context, x *tap.Exchange, f *harness.Fault) bool { return c(b, ctx, x, f) }
}

// protocol is what the target speaks where that is not HTTP.
func (b *boundary) protocol() *tap.Protocol { return b.target.Protocol }
