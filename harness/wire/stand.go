package wire

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	toxiproxy "github.com/Shopify/toxiproxy/v2"
	"github.com/rs/zerolog"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/tap"
)

// StandOptions say what a stand serves.
type StandOptions struct {
	// Target builds the target, anew at each reset, of the schedule's seed, settings,
	// limits and actions.
	Target func(s *harness.Schedule, env tap.TargetEnv) (*tap.Target, error)
	// Schedule is what the first target is built of; it has no faults.
	Schedule harness.Schedule
	// Token is what the target demands, empty for nothing.
	Token string
	// Listen is where callers connect: host:port, port 0 for a free one.
	Listen string
	// Watch is called at each commit; nil is nobody. It must not call the stand.
	Watch func(harness.Effect)
}

// ErrClosed is returned by a stand that was closed.
var ErrClosed = errors.New("the stand is closed")

// Stand is one slot with no worker: a target that anybody may call, behind the same
// proxy and tap as in a trial, with faults that are armed while it runs.
type Stand struct {
	o     StandOptions
	slot  *slot
	conns atomic.Int32

	// arming serialises arm, disarm and reset, and guards closed.
	arming sync.Mutex
	closed bool

	mu     sync.Mutex
	now    *round
	flying int
}

// round is what lies between two resets.
type round struct {
	boundary
	schedule harness.Schedule
	ctx      context.Context
	end      context.CancelFunc
	// flying and over are guarded by the stand's lock: the target is closed once
	// nothing is on its way to it.
	flying int
	over   bool
}

// OpenStand listens and serves.
func OpenStand(o StandOptions) (*Stand, error) {
	s := &Stand{o: o}
	first, err := s.round(o.Schedule)
	if err != nil {
		return nil, err
	}
	server := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop())
	if s.slot, err = newSlot(server, slotOptions{listen: o.Listen}); err != nil {
		first.end()
		return nil, errors.Join(err, first.target.Close())
	}
	s.now = first
	s.slot.bound.Store(&binding{host: s, worker: 1, incarnation: 1})
	return s, nil
}

func (s *Stand) round(schedule harness.Schedule) (*round, error) {
	r := &round{schedule: schedule}
	start := time.Now()
	var err error
	if r.target, err = s.o.Target(&r.schedule, tap.TargetEnv{Token: s.o.Token, Now: time.Now}); err != nil {
		return nil, fmt.Errorf("target: %w", err)
	}
	r.ctx, r.end = context.WithCancel(context.Background())
	r.open(r.ctx, schedule, start, s.o.Token)
	r.handler.Carry = func(f *harness.Fault) tap.Carrier { return s.carry(r, f) }
	// What comes on a link that gives way may be on one of the wrong kind.
	r.session.Counts = func(conn int) bool { return !s.slot.retired(conn) }
	if s.o.Watch != nil {
		r.target.Watch(func(e harness.Effect) {
			r.session.Effect(e)
			s.o.Watch(e)
		})
	}
	return r, nil
}

// URL is where callers reach the target.
func (s *Stand) URL() string { return s.slot.url(s.protocol()) }

// Schedule is what the target of this round was built of.
func (s *Stand) Schedule() harness.Schedule { return s.current().schedule }

// Effects returns the ledger.
func (s *Stand) Effects() []harness.Effect { return s.current().target.Effects() }

// Events returns what the tap recorded since the last reset.
func (s *Stand) Events() []harness.Event { return s.current().session.Snapshot() }

// Armed lists the armed lines.
func (s *Stand) Armed() []tap.Armed {
	lines, _ := s.current().session.Armed()
	return lines
}

func (s *Stand) current() *round {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

// Reset begins a new round: a new target with an empty ledger and no keys, counters
// at zero, no armed lines. Held and delayed requests go on at once; what is on its
// way still reaches the old target, whose ledger is gone.
func (s *Stand) Reset(schedule harness.Schedule) error {
	s.arming.Lock()
	defer s.arming.Unlock()
	if s.closed {
		return ErrClosed
	}
	next, err := s.round(schedule)
	if err != nil {
		return err
	}
	s.mu.Lock()
	old := s.now
	s.now, old.over = next, true
	idle := old.flying == 0
	s.mu.Unlock()
	old.end()
	s.slot.cutter.releaseAll()
	s.slot.relax()
	if idle {
		err = old.target.Close()
	}
	return err
}

// protocol implements host: every round's target speaks the same.
func (s *Stand) protocol() *tap.Protocol { return s.current().target.Protocol }

// opened implements host.
func (s *Stand) opened() int { return int(s.conns.Add(1)) }

// note implements host.
func (s *Stand) note(e harness.Event) { s.current().session.Add(e) }

// stir implements host; nobody waits for quiet here.
func (s *Stand) stir() {}

// serve implements host: a request belongs to the round in which its head came.
func (s *Stand) serve(w http.ResponseWriter, r *http.Request, e harness.Event) {
	s.mu.Lock()
	now := s.now
	s.flying++
	now.flying++
	s.mu.Unlock()
	defer s.landed(now)
	now.handler.Serve(&parting{w, connOf(r)}, r, e)
}

func (s *Stand) landed(r *round) {
	s.mu.Lock()
	s.flying--
	r.flying--
	last := r.over && r.flying == 0
	s.mu.Unlock()
	if last {
		_ = r.target.Close()
	}
}

// Close ends the stand: held, delayed and silenced requests are let go, those in
// flight get their answers, and connections end once they are idle. What is not done
// when ctx ends is cut off.
func (s *Stand) Close(ctx context.Context) error {
	s.arming.Lock()
	was := s.closed
	s.closed = true
	s.arming.Unlock()
	if was {
		return nil
	}
	last := s.current()
	last.end()
	s.slot.cutter.releaseAll()
	err := s.drain(ctx)
	err = errors.Join(err, s.slot.close(), last.target.Close())
	return err
}

// drain waits until nothing is in flight, and lets the clients' sides close before
// the proxy does.
func (s *Stand) drain(ctx context.Context) error {
	// Requests that come now are refused, and reach no target.
	s.slot.bound.Store(nil)
	open := s.slot.snapshot()
	if errors.Join(s.slot.retire(ctx), over(ctx, open)) == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return fmt.Errorf("stop: %d requests did not end in time and were cut off", s.flying)
}
