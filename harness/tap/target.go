package tap

import (
	"context"
	"net/http"
	"time"

	"github.com/retrydrill/drill/harness"
)

// Target is what a world runs one trial against.
type Target struct {
	// Handler is the target itself: a fake, or what else answers HTTP.
	Handler http.Handler
	// Protocol is nil where the target speaks HTTP.
	Protocol *Protocol
	Namer    harness.Namer
	Promises harness.Promises
	// Effects reads the ledger. The list belongs to the target.
	Effects func() []harness.Effect
	// Watch sets the observer that is called at each commit, in the ledger's order.
	Watch func(func(harness.Effect))
	// Tell sets who hears what the target tells by itself, in the ledger's order; nil
	// where the target tells nothing.
	Tell func(func(harness.Notice))
	// Pending is how long the target's own work still goes on, on the world's clock; nil
	// where it does none by itself.
	Pending func() time.Duration
	// Prompt: it takes no time but what the schedule's settings say, and waits for
	// nothing but other requests.
	Prompt bool
	// Close ends it.
	Close func() error
}

// InTarget are the faults that the target carries out when it is asked, see
// [Handler.Inside]; hold is carried out while it asks.
var InTarget = []string{"target reject", "target fail", "target swallow", "target restart", "target hold"}

// TargetEnv is what a target is built with for one trial.
type TargetEnv struct {
	// Token is what the target demands of its callers; it comes from the seed.
	Token string
	// Now is the world's clock; Sleep waits on it, nil in real time.
	Now   func() time.Time
	Sleep func(ctx context.Context, d time.Duration) error
	// Reuse is the world's promise that it closes the target once and that nothing reaches it then,
	// so that the next trial may get the same one, made new.
	Reuse bool
	// Alone: the world lets one go at a time, so that nothing is at the target while
	// another one is.
	Alone bool
}
