package wire

import (
	"context"
	"net/http"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/deliver"
	"github.com/retrydrill/drill/harness/tap"
)

// trial is one carrying-out of a schedule.
type trial struct {
	boundary
	w    *World
	s    harness.Schedule
	base string
	dirs int
	// mark is in the environment of every process of this trial, and of no other.
	mark  string
	start time.Time
	conns atomic.Int32
	gate  atomic.Pointer[deliver.Rendezvous]
	// authority signs for the hosts that the target stands in for; nil where there is
	// none.
	authority *authority
	pulse     *pulse

	ctx    context.Context
	cancel context.CancelFunc

	mu     sync.Mutex
	seats  []*seat
	flying int
	// loose: a request did not come to its end.
	loose bool
	// lasting are the faults that go on when their request has gone.
	lasting sync.WaitGroup
	// stirred tells that a request or a connection came or went.
	stirred chan struct{}

	holds deliver.Holds
	conductor
}

func newTrial(w *World, s harness.Schedule, base string) *trial {
	t := &trial{w: w, s: s, base: base, start: time.Now(), stirred: make(chan struct{}, 1)}
	t.mark = w.mark + filepath.Base(base)
	t.conductor.inbox, t.conductor.poked = make(chan ended, 16), make(chan struct{}, 1)
	t.conductor.notices, t.conductor.expiries = make(chan heardOf), make(chan expiry)
	t.conductor.conducted = make(chan struct{})
	t.ctx, t.cancel = context.WithCancel(context.Background())
	return t
}

// open puts the tap in front of the target.
func (t *trial) open(token string) {
	t.boundary.open(t.ctx, t.s, t.start, token)
	t.crew, t.handler.Gate = t, t.gated
	if t.target.Tell != nil && deliver.Tells(&t.s) {
		t.target.Tell(t.tell)
	}
	t.handler.Carry = func(f *harness.Fault) tap.Carrier {
		c, strikes := onWorkers[f.Kind().Key()]
		if !strikes {
			return t.carry(f)
		}
		return func(ctx context.Context, x *tap.Exchange, f *harness.Fault) bool { return c(t, ctx, x, f) }
	}
}

// now is how long the trial goes on.
func (t *trial) now() time.Duration { return time.Since(t.start) }

// opened implements host.
func (t *trial) opened() int { return int(t.conns.Add(1)) }

// note implements host.
func (t *trial) note(e harness.Event) { t.session.Add(e) }

// serve implements host. A request counts as flying until the tap is done with it.
func (t *trial) serve(w http.ResponseWriter, r *http.Request, e harness.Event) {
	if _, life := t.lives(e.Worker, e.Incarnation); life != nil {
		// What it has reported before comes before.
		life.Heard()
	}
	if t.dies(e.Worker, e.Incarnation) {
		panic(http.ErrAbortHandler)
	}
	t.mu.Lock()
	t.flying++
	t.mu.Unlock()
	defer func() {
		t.mu.Lock()
		t.flying--
		t.mu.Unlock()
		t.stir()
		t.poke()
	}()
	t.handler.Serve(w, r, e)
}
