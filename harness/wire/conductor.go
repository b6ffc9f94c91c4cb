package wire

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/deliver"
	"github.com/retrydrill/drill/harness/tap"
	"github.com/retrydrill/drill/harness/worker"
)

// conductor hands out what its queue says is due. One goroutine, the trial's own,
// does all of it.
type conductor struct {
	queue *deliver.Queue
	inbox chan ended
	poked chan struct{}
	// notices are what the target told by itself, expiries the hand-overs that run out.
	notices  chan heardOf
	expiries chan expiry
	// stop ends every hand-over that is at work.
	stop context.CancelFunc
	// conducted is closed once nothing is handed over any more, and nobody takes anything
	// in.
	conducted chan struct{}
}

// ended is what comes back of one hand-over.
type ended struct {
	hand  *deliver.Hand
	seat  *seat
	heard deliver.Heard
	end   worker.End
}

// poke lets the conductor look again.
func (t *trial) poke() {
	select {
	case t.poked <- struct{}{}:
	default:
	}
}

// run conducts the trial until every delivery is settled.
func (t *trial) run(parent context.Context) error {
	ctx, stop := context.WithTimeout(parent, t.s.Limits.Trial.D())
	defer stop()
	t.stop = stop
	defer close(t.conducted)
	t.queue = deliver.NewQueue(&t.s)
	for {
		begun := t.holds.Begun()
		wait, at, err := t.advance(ctx)
		if err != nil {
			return t.drain(err)
		}
		if t.queue.Done() && t.toldAll() {
			return nil
		}
		t.releaseHopeless(begun)
		var timer <-chan time.Time
		if wait > 0 {
			timer = time.After(wait)
		}
		select {
		case e := <-t.inbox:
			t.onEnd(e)
			if e.end.Err != nil && e.end.Note == "not started" {
				return t.drain(e.end.Err)
			}
		case x := <-t.notices:
			x.answer <- t.queue.Heard(x.notice, t.session, t.now())
		case x := <-t.expiries:
			x.over <- t.queue.Expire(x.hand, t.now())
		case <-at:
		case <-timer:
		case <-t.poked:
		case <-ctx.Done():
			if parent.Err() == nil {
				t.session.Add(harness.Event{Kind: harness.EvBound, Note: "the trial's time"})
			}
			return t.drain(parent.Err())
		}
	}
}

// drain ends what is at work, and returns err.
func (t *trial) drain(err error) error {
	t.stop()
	t.cancel()
	for t.queue.Busy() {
		t.onEnd(<-t.inbox)
	}
	return err
}

// advance makes every hand-over that is due. It returns how long until the next
// one, and a channel for the event that the next planned one waits for.
func (t *trial) advance(ctx context.Context) (wait time.Duration, at <-chan struct{}, err error) {
	for {
		h, w, err := t.queue.Next(t.now(), t.happened)
		if err != nil {
			return 0, nil, err
		}
		if h == nil {
			if w.At != nil {
				at = t.session.When(*w.At)
			}
			return w.For, at, nil
		}
		if err := t.hand(ctx, h); err != nil {
			return 0, nil, err
		}
	}
}

func (t *trial) happened(w harness.Where) bool {
	select {
	case <-t.session.When(w):
		return true
	default:
		return false
	}
}

// hand hands one message to its worker.
func (t *trial) hand(ctx context.Context, d *deliver.Hand) error {
	s, err := t.seat(d.Worker)
	if err != nil {
		return err
	}
	if len(d.Together) > 0 {
		t.gate.Store(deliver.NewRendezvous(d.Together, t.s.Order == "reverse"))
	}
	if err := t.prepare(ctx, s, d); err != nil {
		return err
	}
	shown := d.Again
	if t.s.Blind {
		shown = 1
	}
	raw, err := d.Message.Raw(shown)
	if err != nil {
		return fmt.Errorf("delivery %d: %w", d.Delivery, err)
	}
	before := s.incarnation
	givenUp := t.begin(s, d)
	goesOn := s.incarnation == before
	if !goesOn {
		if err := t.apart(ctx, s); err != nil {
			return err
		}
	}
	e := harness.Event{Worker: s.number, Incarnation: s.incarnation, Delivery: d.Delivery}
	s.slot.bound.Store(&binding{host: t, worker: s.number, incarnation: s.incarnation, delivery: d.Delivery, cert: t.certOf})
	by := tap.By{Worker: s.number, Incarnation: s.incarnation, Delivery: d.Delivery}
	t.session.Deliver(by, d.Message.Delivered(&harness.Delivered{}, t.target.Namer, d.How))
	for _, f := range d.Lines {
		t.session.Fired(f, &e)
	}
	h := t.handover(s, d, raw)
	h.GivenUp, h.GoesOn = givenUp, goesOn
	go t.deliver(ctx, s, d, h, e)
	return nil
}

// prepare lets the worker and its slot be what the hand-over wants.
func (t *trial) prepare(ctx context.Context, s *seat, d *deliver.Hand) (err error) {
	if d.Has("elsewhere") {
		if s.dir, err = t.stateDir(); err != nil {
			return err
		}
		if err := s.runner.Close(); err != nil {
			return fmt.Errorf("worker %d: %w", s.number, err)
		}
		s.alive = false
	}
	if d.Has("recover") && s.process {
		// A worker starts.
		if err := s.runner.Close(); err != nil {
			return fmt.Errorf("worker %d: %w", s.number, err)
		}
	}
	if d.Has("down") {
		if err := t.apart(ctx, s); err != nil {
			return err
		}
		s.slot.takeDown()
	}
	return s.cut(d)
}

// apart returns once what lives before have opened is at the tap, and known as theirs.
func (t *trial) apart(ctx context.Context, s *seat) error {
	if s.slot.bound.Load() == nil {
		return nil
	}
	if err := s.slot.fence(ctx); err != nil && ctx.Err() == nil {
		return fmt.Errorf("worker %d: %w", s.number, err)
	}
	return nil
}

// begin notes that the worker is at a hand-over, in a life of its own where the one before
// has ended. What it returns is closed when its caller gives up, or nil where none does.
func (t *trial) begin(s *seat, d *deliver.Hand) (givenUp chan struct{}) {
	if givesUp(&t.s) {
		givenUp = make(chan struct{})
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if !s.alive || !s.runner.Alive() && s.process {
		s.incarnation++
		s.alive, s.life = true, nil
	}
	s.atWork, s.hand, s.over, s.begun, s.givenUp = true, d, make(chan struct{}), make(chan struct{}), givenUp
	return givenUp
}

// deliver runs one hand-over to its end and tells the conductor.
func (t *trial) deliver(parent context.Context, s *seat, d *deliver.Hand, h worker.Handover, e harness.Event) {
	ctx, stop := context.WithTimeoutCause(parent, t.s.Limits.Delivery.D(), errTooLong)
	defer stop()
	heard := hearing{t: t, event: e, heard: deliver.Hear(d.Message)}
	began, whether := time.Now(), s.begun
	begun := sync.OnceFunc(func() { close(whether) })
	ready := sync.OnceFunc(func() { t.pulse.note(slowStart, time.Since(began)) })
	end := s.runner.Deliver(ctx, h, worker.Listener{
		Started: func(life worker.Mortal) {
			t.mu.Lock()
			s.life = life
			t.mu.Unlock()
			begun()
		},
		Ready:  ready,
		Report: heard.report,
		Log:    heard.log,
	})
	begun()
	if s.process && t.s.Executor.Kind == "builtin" {
		// One that never came to its job took all that time for it.
		ready()
	}
	t.struck(s)
	if end.Err != nil && !s.process {
		// A process says on its standard error why it failed.
		heard.log(end.Err.Error())
	}
	t.inbox <- ended{hand: d, seat: s, end: end, heard: heard.judge(end, ctx)}
}

// onEnd settles a delivery or makes it due again.
func (t *trial) onEnd(x ended) {
	s := x.seat
	s.slot.cutter.releaseAll()
	if x.hand.Has("down") {
		if err := s.slot.bringUp(); err != nil {
			t.session.Add(harness.Event{Kind: harness.EvBound, Note: "the proxy did not come back"})
		}
	}
	if err := s.joins(x.hand); err != nil {
		t.session.Add(harness.Event{Kind: harness.EvBound, Note: "a worker that lost its target did not end"})
	}
	t.mu.Lock()
	s.atWork, s.hand, s.givenUp, s.alive = false, nil, nil, x.end.Alive
	close(s.over)
	if !s.alive {
		s.life = nil
	}
	t.mu.Unlock()
	if g := t.gate.Load(); g != nil {
		g.Done(s.number)
	}
	t.session.Add(harness.Event{Kind: harness.EvEnd, Worker: s.number, Incarnation: s.incarnation, Delivery: x.hand.Delivery, Note: x.end.Note})
	for _, e := range t.queue.End(deliver.Ended{Hand: x.hand, Heard: x.heard, Incarnation: s.incarnation, Died: x.end.Died}, t.now()) {
		t.session.Add(harness.Event{Kind: e.Kind, Worker: s.number, Incarnation: s.incarnation, Delivery: x.hand.Delivery, Note: e.Note, Fault: e.Fault})
	}
	x.hand.Over()
}
