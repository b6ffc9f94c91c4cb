package sim

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/deliver"
	"github.com/retrydrill/drill/harness/worker"
)

// life is one incarnation of a worker, and the root of its handles.
type life struct {
	t    *trial
	seat *seat
	// handed is what its executor is handed with each delivery: the surroundings stay.
	handed worker.Handover
	// delivery is the hand-over that it is at, first the context of the first.
	delivery int
	first    patience
	// dead: every handle answers that it has ended; over: its trial has, too.
	dead, over bool
	// stopped: it stands still; ended: its delivery is over.
	stopped, ended bool
	// dying is set where it ends at the next thing that it does.
	dying *dying
	// in is what it has more in a bubble.
	in *bubbled
	// idle are the connections that it keeps, the one used last at the end.
	idle []*conn
	// left: a request of its goes on without it.
	left bool
	// calls counts what it asked of its handles since time last moved on, the moved-th
	// time.
	calls, moved int

	// http, transport and logs are what its handles are made of, bounded is the transport
	// with the declared bound, few the room for idle connections.
	http      http.Client
	transport client
	bounded   client
	few       [2]*conn
	logs      logs
	log       slog.Logger
	// write is the room for a write of its store.
	write harness.Event
}

// bear begins a life with handles of its own, or those of one of before of which nobody
// has any.
func (s *seat) bear() *life {
	if s.born == len(s.lives) {
		s.lives = append(s.lives, s.unborn())
	}
	l := s.lives[s.born]
	s.born++
	l.begin()
	return l
}

// unborn is a life with handles.
func (s *seat) unborn() *life {
	l := &life{t: s.t, seat: s}
	l.transport.life, l.logs.life = l, l
	l.log = *slog.New(&l.logs)
	e := &l.handed.Env
	e.TargetURL, e.Worker = "http://"+host, s.number
	e.HTTP, e.Clock, e.Memory, e.Records, e.Log = &l.http, (*clock)(l), (*memory)(l), (*records)(l), &l.log
	l.handed.Job = &s.job
	return l
}

// begin makes it a life of this trial.
func (l *life) begin() {
	s := l.seat
	deliver.Declare(&l.handed.Env, s.t.s, &s.t.target.Promises, s.t.token.text)
	l.handed.Env.StateDir = s.dir.name
	l.http = http.Client{Transport: &l.transport}
	l.bounded = client{l, l.handed.Env.ClientDeadline}
	l.first, l.idle = patience{}, l.few[:0]
	l.dead, l.over, l.stopped, l.left, l.dying = false, false, false, false, nil
	l.delivery, l.calls, l.moved = 0, 0, 0
	if b := s.t.bubble; b != nil {
		b.born(l)
	}
}

// maxCalls bounds what a life asks of its handles while time stands still: who asks
// without end would never let it move. maxDead bounds what a dead one asks.
const (
	maxCalls = 100_000
	maxDead  = 1_000
)

// enter is asked before each handle does anything.
func (l *life) enter() error {
	if l.moved != l.t.moved {
		l.calls, l.moved = 0, l.t.moved
	}
	l.calls++
	if l.dead || l.calls > maxInBubble {
		return l.refuses()
	}
	return nil
}

// refuses has a life that has ended, or never lets time move, do nothing more.
func (l *life) refuses() error {
	switch {
	case l.over:
	case l.dead:
		if l.calls > maxDead {
			l.t.abandon(l)
		}
	case l.in == nil && l.calls <= maxCalls:
		return nil
	default:
		l.seat.late = true
		l.die()
	}
	return worker.ErrDead
}

// die ends the life: its receipts are closed, its connections gone, and every handle
// answers [worker.ErrDead]. It reports whether there was a life to end.
func (l *life) die() bool {
	if l.dead || l.seat.hand == nil || l.seat.life != l {
		return false
	}
	l.dead, l.idle, l.calls = true, nil, 0
	l.goOn()
	return true
}

// abandon leaves a worker where it is, since it does not end by itself.
func (t *trial) abandon(l *life) {
	t.err = errors.Join(t.err, ErrEndless)
	f := t.running
	f.done, f.lost = true, true
	for {
		f.yield(struct{}{})
	}
}

// clock is a life's clock.
type clock life

// Now implements [harness.Clock].
func (c *clock) Now() time.Time { return c.t.clock() }

// Sleep implements [harness.Clock].
func (c *clock) Sleep(ctx context.Context, d time.Duration) error {
	if err := (*life)(c).enter(); err != nil {
		return err
	}
	if _, real := ctx.Deadline(); real {
		return ErrClock
	}
	if d <= 0 {
		return nil
	}
	switch c.t.block(wait{flags: [2]*bool{&c.dead}, chans: [2]<-chan struct{}{ctx.Done()}, timed: true, until: c.t.now + d}) {
	case byTime:
		return nil
	case byChan0:
		return context.Cause(ctx)
	}
	return worker.ErrDead
}

// memory is a life's hold on its state directory.
type memory life

// Keep implements [worker.Memory].
func (m *memory) Keep(name string, make func() any) any {
	if b := m.t.bubble; b != nil {
		return b.keep((*life)(m), name, make)
	}
	return m.seat.dir.keep(name, make)
}

// Alive implements [worker.Memory].
func (m *memory) Alive() error { return (*life)(m).asked() }
