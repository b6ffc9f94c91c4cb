package sim

import (
	"context"
	"net/http"
	"net/http/httptrace"
	"time"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/tap"
	"github.com/retrydrill/drill/harness/worker"
)

// born gives a life what it has in a bubble.
func (b *bubble) born(l *life) {
	l.handed.Env.Clock, l.handed.Env.Dial = (*wakes)(l), b.dial(l)
	b.enlist(l)
}

// hangUp closes the connections of a life.
func (b *bubble) hangUp(l *life) {
	for _, far := range l.in.links {
		b.later(func() { _ = far.Close() })
	}
	l.in.links = nil
}

// traced tells a request's own trace of its connection, which in a bubble is done there.
func (t *trial) traced(trace *httptrace.ClientTrace, reused bool) {
	if b := t.bubble; b != nil {
		b.inside(func() { trace.GotConn(httptrace.GotConnInfo{Reused: reused, WasIdle: reused}) })
		return
	}
	trace.GotConn(httptrace.GotConnInfo{Reused: reused, WasIdle: reused})
}

// closes ends what an executor holds.
func (t *trial) closes(s *seat, l *life) error {
	switch b := t.bubble; {
	case b == nil:
		return s.runner.Close()
	case l != nil:
		return b.bury(l)
	}
	return nil
}

// asked is what a handle answers that does nothing at the boundary.
func (l *life) asked() error {
	if b := l.t.bubble; b != nil {
		b.guard(l, func() {})
		return nil
	}
	return l.enter()
}

// now does what can be done at once.
func (l *life) now(f func()) {
	if b := l.t.bubble; b != nil {
		b.guard(l, f)
		return
	}
	f()
}

// roundTrip reads a request's body, which is the executor's own, where it was called,
// and has the engine carry the request.
func (b *bubble) roundTrip(c *client, r *http.Request) (*http.Response, error) {
	k := &bubbledCall{call: call{life: c.life, req: r, timed: c.within > 0}, within: c.within}
	k.err = k.read()
	b.ask(r.Context(), c.life, k.carried)
	return k.resp, k.err
}

// bubbledCall is a RoundTrip in a bubble, with what came of it.
type bubbledCall struct {
	call
	within time.Duration
	resp   *http.Response
	err    error
}

// carried has the engine carry the request.
func (k *bubbledCall) carried(a *asked) {
	k.asked, k.until = a, k.life.t.now+k.within
	if k.err == nil {
		k.resp, k.err = k.carry()
	}
	if k.err != nil {
		k.resp = nil
		k.heard(0, tap.HeardNothing, tap.FailureOf(k.err))
	}
}

// furnish gives a state directory files.
func (b *bubble) furnish(d *directory) (err error) {
	d.name, err = b.Dir()
	return err
}

// keep returns what stands under the name in the life's directory. make is the
// executor's code, and runs while nothing is held.
func (b *bubble) keep(l *life, name string, make func() any) (k any) {
	b.guard(l, func() { k = l.seat.dir.find(name) })
	if k != nil {
		return k
	}
	made := make()
	b.guard(l, func() { k = l.seat.dir.keep(name, func() any { return made }) })
	return k
}

// write stands at a write of the executor's own store. What is struck there the engine
// carries out, and says what is wanted; the write itself is the executor's, where it
// was called.
func (b *bubble) write(ctx context.Context, l *life, r worker.Record, commit func(worker.RecordOrder) worker.RecordEnd) error {
	var f *harness.Fault
	dead := false
	e, records := &harness.Event{}, &b.t.records
	b.guard(l, func() {
		l.seat.writes(e)
		if dead = l.dies(); !dead {
			f = records.Begin(e, &r)
		}
	})
	if dead {
		b.ring()
		b.freeze()
	}
	if f == nil {
		end := commit(worker.RecordPass)
		b.guard(l, func() { records.Told(e, &r, end) })
		return nil
	}
	return b.struck(ctx, l, e, f, &r, commit)
}

// struck is a write at which a fault strikes.
func (b *bubble) struck(ctx context.Context, l *life, e *harness.Event, f *harness.Fault, r *worker.Record, commit func(worker.RecordOrder) worker.RecordEnd) (err error) {
	orders := make(chan worker.RecordOrder, 1)
	made, end := false, worker.RecordGone
	b.converse(ctx, l, func(*asked) {
		err = b.t.records.Carry(ctx, e, f, r, func(o worker.RecordOrder) worker.RecordEnd {
			b.later(func() { orders <- o })
			b.t.block(wait{flags: [2]*bool{&made, &l.dead}})
			return end
		})
	}, orders, func(o worker.RecordOrder) {
		got := commit(o)
		b.mu.Lock()
		made, end = true, got
		b.mu.Unlock()
		b.ring()
	})
	return err
}

// look counts what is kept in a state directory, and says whether the target's token
// is in it.
func (t *trial) look(d *directory) (n int, leaks bool, err error) {
	if t.bubble != nil {
		if n, leaks, err = t.bubble.Left(d.name, t.session.Leaks); err != nil {
			return n, leaks, err
		}
	}
	return n + len(d.kept), leaks || d.leaks(t.session), nil
}
