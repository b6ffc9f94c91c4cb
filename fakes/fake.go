package fakes

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/internal/lone"
	"github.com/retrydrill/drill/internal/reuse"
	"github.com/retrydrill/drill/targets"
)

// Options are what a trial wants of its target.
type Options struct {
	// Token is demanded of every request; empty demands none.
	Token string
	// Now is the world's clock; nil is the real one. Sleep waits on it, for the latency
	// of a trial's settings; nil waits in real time.
	Now   func() time.Time
	Sleep func(ctx context.Context, d time.Duration) error
	// Start is the trial's start; zero is now.
	Start time.Time
	// Seed decides every ID.
	Seed     uint64
	Settings harness.Settings
	Limits   harness.Limits
	// Action is what a foreign object is made in the likeness of.
	Action harness.Action
	// MaxBody bounds a request's body in bytes; zero is 1 MiB.
	MaxBody int64
}

// complete fills in what is not said.
func (o *Options) complete() {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Sleep == nil {
		o.Sleep = harness.SystemClock{}.Sleep
	}
	if o.Start.IsZero() {
		o.Start = o.Now()
	}
	if o.MaxBody == 0 {
		o.MaxBody = 1 << 20
	}
}

// Fake is one target with one ledger. It is an http.Handler for many goroutines.
type Fake struct {
	p      *targets.Profile
	namer  harness.Namer
	o      Options
	ways   ways
	domain domain
	// committer is the domain where it commits by itself, else nil.
	committer committer
	// known is what fakes of the same profile worked out before; nil keeps nothing.
	known *known
	// requestID is the profile's header, as net/http spells it.
	requestID string
	requests  atomic.Uint64
	// contentType is that of every answer.
	contentType []string

	// mu guards keys, store, dues and domain. A watcher is called under it, so that the
	// order of its calls is the ledger's.
	mu    lone.Mutex
	keys  reuse.Table[shelf, *claim]
	store store
	dues  []due
	// lent: one trial after the other has the fake, and nothing of an earlier one is read
	// any more. claims and answers are then the room for them, as found is that for a
	// page.
	lent    bool
	found   []*object
	claims  reuse.Slab[claim]
	answers reuse.Slab[answer]

	ledger ledger
	teller teller
}

// domain is the world behind the API: what its objects are, and which writes its
// state refuses. It is called under the fake's lock.
type domain interface {
	// group is the business key of a write, one spelling of each.
	group(c *call) string
	// make makes what an object holds of a write's parameters, or refuses.
	make(f *Fake, id string, c *call) (*object, *refusal)
	// page appends a list's answer.
	page(f *Fake, c *call, b []byte) ([]byte, *refusal)
	// show returns an object's answer, which nobody changes.
	show(o *object, c *call) []byte
	// unmake takes back what making an object took: one that was never stored, or was
	// undone.
	unmake(o *object)
	// check refuses parameters that no state would make lawful, and reads of the others
	// what the domain needs of them each time.
	check(c *call) *refusal
	// reset makes the world as it is at the beginning of a trial.
	reset() error
}

// committer is a domain in which one write may make and take back any number of
// objects, or change nothing: it commits by itself.
type committer interface {
	commit(*harness.Crossing, *call) (*answer, *object)
}

// New builds a fake of the profile.
func New(p *targets.Profile, o Options) (*Fake, error) {
	f := &Fake{p: p, contentType: []string{p.ContentType()}, namer: p.Namer()}
	switch p.Fake.Domain {
	case "refunds":
		f.domain = &refunds{f: f, total: p.Fake.Total}
	case "records", "":
		f.domain = &records{f: f}
	case "zone":
		f.domain = newZone(f)
	default:
		return nil, fmt.Errorf("fake of %s: there is no domain %q: expected refunds, records or zone", p.Name, p.Fake.Domain)
	}
	f.teller.silent = len(p.Events.Of) == 0
	f.committer, _ = f.domain.(committer)
	f.requestID = http.CanonicalHeaderKey(p.RequestID)
	if err := f.Reset(o); err != nil {
		return nil, err
	}
	return f, nil
}

// Reset makes the fake as [New] would with these options. What it was is gone, its
// watcher and who it tells among it; no request may be at work. Searches run many
// thousands of trials, and most of a fake is the same in all of them.
func (f *Fake) Reset(o Options) error {
	f.o = o
	return f.reset(&o.Action)
}

// reset is Reset with the options that the fake has and the action of a trial.
func (f *Fake) reset(action *harness.Action) error {
	o := &f.o
	o.complete()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.requests.Store(0)
	f.keys.Reset()
	f.claims.Reset()
	f.answers.Reset()
	f.store.reset()
	f.dues = nil
	f.ledger.reset(f.lent)
	f.teller.reset()
	if err := f.ways.set(f.p, o); err != nil {
		return fmt.Errorf("fake of %s: %w", f.p.Name, err)
	}
	if err := f.domain.reset(); err != nil {
		return err
	}
	if o.Settings.ForeignObject {
		if err := f.plant(*action); err != nil {
			return err
		}
	}
	if part := o.Settings.Present; part != "" {
		return f.present(*action, part)
	}
	return nil
}

// Effects returns the ledger so far, in order. What was planted at the start is in
// it and no watcher hears of it. What the target does by itself is in it once a
// request or [Fake.Pending] came after its time.
func (f *Fake) Effects() []harness.Effect { return slices.Clone(f.ledger.all()) }

// Watch sets who is called at each commit, before the answer is written. The call
// is made under the fake's lock: it may read Effects, and must send no request.
func (f *Fake) Watch(observe func(harness.Effect)) { f.ledger.watch(observe) }

// Close ends the fake. It holds nothing that would outlive it.
func (f *Fake) Close() error { return nil }
