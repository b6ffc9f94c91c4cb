package wire

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/worker"
)

// conductor hands deliveries to workers as a queue would, shaped by the schedule's
// deliver lines. One goroutine, the trial's own, does all of it.
type conductor struct {
	inbox    chan ended
	poked    chan struct{}
	ordinal  int
	last     *message
	messages []*message
	due      map[*message]time.Time
	waiting  map[*message]bool
	// stop ends every hand-over that is at work.
	stop context.CancelFunc
	// lastEnd is when the delivery before ended, lastAcked and lastDied how.
	lastEnd             time.Time
	lastAcked, lastDied bool
}

// ended is what comes back of one hand-over.
type ended struct {
	seat     *seat
	m        *message
	delivery int
	end      worker.End
	nack     string
	waits    bool
	review   bool
	down     bool
}

// poke lets the conductor look again.
func (t *trial) poke() {
	select {
	case t.poked <- struct{}{}:
	default:
	}
}

// planned are the deliver lines of the n-th hand-over, in the schedule's order.
func (t *trial) planned(n int) []harness.Fault {
	var out []harness.Fault
	for _, f := range t.s.Faults {
		if f.Where.Point == harness.Deliver && f.Where.Counts(n) {
			out = append(out, f)
		}
	}
	return out
}

func find(lines []harness.Fault, name string) *harness.Fault {
	i := slices.IndexFunc(lines, func(f harness.Fault) bool { return f.Name == name })
	if i < 0 {
		return nil
	}
	return &lines[i]
}

// run conducts the trial until every delivery is settled.
func (t *trial) run(parent context.Context) error {
	ctx, stop := context.WithTimeout(parent, t.s.Limits.Trial.D())
	defer stop()
	t.stop = stop
	t.due, t.waiting = map[*message]time.Time{}, map[*message]bool{}
	if err := t.handPlanned(ctx, false); err != nil {
		return t.drain(err)
	}
	for {
		wait, at, err := t.advance(ctx)
		if err != nil {
			return t.drain(err)
		}
		if t.done() {
			return nil
		}
		t.releaseHopeless()
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
	for t.busy() {
		t.onEnd(<-t.inbox)
	}
	return err
}

func (t *trial) busy() bool {
	return slices.ContainsFunc(t.seats, func(s *seat) bool { return s.atWork })
}

func (t *trial) done() bool {
	if t.busy() || t.ordinal < t.s.Deliveries() {
		return false
	}
	return !slices.ContainsFunc(t.messages, func(m *message) bool { return !m.settled })
}

// advance makes every hand-over that is due. It returns how long until the next
// one, and a channel for the event that the next planned one waits for.
func (t *trial) advance(ctx context.Context) (wait time.Duration, at <-chan struct{}, err error) {
	for t.ordinal < t.s.Deliveries() {
		if f := find(t.planned(t.ordinal+1), "at"); f != nil {
			happened := t.session.When(*f.Event)
			select {
			case <-happened:
				if err := t.handPlanned(ctx, t.busy()); err != nil {
					return 0, nil, err
				}
				continue
			default:
			}
			if t.busy() {
				return 0, happened, nil
			}
		}
		if t.busy() {
			return 0, nil, nil
		}
		if d := time.Until(t.plannedDue()); d > 0 {
			return d, nil, nil
		}
		if err := t.handPlanned(ctx, false); err != nil {
			return 0, nil, err
		}
	}
	for _, m := range t.messages {
		if m.settled || m.seat.atWork {
			continue
		}
		if t.waiting[m] && !t.busy() {
			t.waiting[m] = false
		}
		d := time.Until(t.due[m])
		if d <= 0 {
			if err := t.hand(ctx, m, nil, t.ordinal+1); err != nil {
				return 0, nil, err
			}
			continue
		}
		if wait == 0 || d < wait {
			wait = d
		}
	}
	return wait, nil, nil
}

// plannedDue is when the next planned hand-over is due.
func (t *trial) plannedDue() time.Time {
	if f := find(t.planned(t.ordinal+1), "after"); f != nil {
		return t.lastEnd.Add(f.D.In(t.s.Limits))
	}
	if t.lastAcked || t.lastDied || find(t.planned(t.ordinal+1), "brings") != nil {
		return t.lastEnd
	}
	return t.lastEnd.Add(t.s.Limits.Visibility())
}

// handPlanned makes the next hand-over as the schedule shapes it. beside: the one
// before is still at work, so another worker gets it.
func (t *trial) handPlanned(ctx context.Context, beside bool) error {
	n := t.ordinal + 1
	lines := t.planned(n)
	m := t.last
	if f := find(lines, "brings"); f != nil {
		m = t.newMessage(f.Actions...)
	} else if m == nil {
		m = t.newMessage(t.s.Actions[0].Name)
	} else if beside {
		m = m.copyOf()
	}
	for _, f := range lines {
		if err := m.apply(t, f); err != nil {
			return err
		}
	}
	times := 1
	if f := find(lines, "times"); f != nil {
		times = f.N
		t.gate = newRendezvous(times, t.s.Order == "reverse")
	}
	first := 1
	if beside {
		first = len(t.seats) + 1
	}
	if !slices.Contains(t.messages, m) {
		t.messages = append(t.messages, m)
	}
	for i := range times {
		x := m
		if i > 0 {
			x = m.copyOf()
			t.messages = append(t.messages, x)
		}
		if x.seat == nil || beside {
			s, err := t.seat(first + i)
			if err != nil {
				return err
			}
			x.seat = s
		}
		fired := lines
		if i < times-1 {
			fired = nil
		}
		if !beside {
			// Without anybody at work the line's event did not come.
			fired = slices.DeleteFunc(slices.Clone(fired), func(f harness.Fault) bool { return f.Name == "at" })
		}
		x.settled = false
		if err := t.hand(ctx, x, fired, n); err != nil {
			return err
		}
	}
	t.last = m
	return nil
}

// hand hands one message to its worker.
func (t *trial) hand(ctx context.Context, m *message, lines []harness.Fault, ordinal int) error {
	s := m.seat
	t.ordinal = max(t.ordinal, ordinal)
	if find(lines, "elsewhere") != nil {
		dir, err := t.stateDir()
		if err != nil {
			return err
		}
		s.dir = dir
		if err := s.runner.Close(); err != nil {
			return fmt.Errorf("worker %d: %w", s.number, err)
		}
		s.alive = false
	}
	down := find(lines, "down") != nil
	if down {
		s.slot.takeDown()
	}
	shown := ordinal
	if t.s.Blind {
		shown = 1
	}
	raw, err := m.raw(shown)
	if err != nil {
		return fmt.Errorf("delivery %d: %w", ordinal, err)
	}
	t.mu.Lock()
	if !s.alive {
		s.incarnation++
		s.alive = true
	}
	s.atWork, s.life = true, nil
	t.mu.Unlock()
	how := make([]string, 0, len(lines))
	for _, f := range t.planned(ordinal) {
		how = append(how, f.String())
	}
	e := harness.Event{Worker: s.number, Incarnation: s.incarnation, Delivery: ordinal}
	d := e
	d.Kind, d.Deliver = harness.EvDeliver, m.delivered(t, how)
	s.slot.bound.Store(&binding{trial: t, worker: s.number, incarnation: s.incarnation, delivery: ordinal})
	t.session.Deliver(d)
	for _, f := range lines {
		t.session.Fired(f, e)
	}
	delete(t.due, m)
	h := t.handover(s, raw, ordinal)
	go t.deliver(ctx, s, m, h, e, down)
	return nil
}

// deliver runs one hand-over to its end and tells the conductor.
func (t *trial) deliver(parent context.Context, s *seat, m *message, h worker.Handover, e harness.Event, down bool) {
	ctx, stop := context.WithTimeoutCause(parent, t.s.Limits.Delivery.D(), errTooLong)
	defer stop()
	heard := hearing{t: t, seat: s, m: m, event: e}
	end := s.runner.Deliver(ctx, h, worker.Listener{
		Started: func(life worker.Mortal) {
			t.mu.Lock()
			s.life = life
			t.mu.Unlock()
		},
		Report: heard.report,
		Log:    heard.log,
	})
	if end.Err != nil && !s.process {
		// A process says on its standard error why it failed.
		heard.log(end.Err.Error())
	}
	out := ended{seat: s, m: m, delivery: e.Delivery, end: end, down: down}
	out.nack, out.waits, out.review = heard.judge(end, ctx)
	t.inbox <- out
}

// onEnd settles a delivery or makes it due again.
func (t *trial) onEnd(x ended) {
	s, m := x.seat, x.m
	s.slot.cutter.releaseAll()
	if x.down {
		if err := s.slot.bringUp(); err != nil {
			t.session.Add(harness.Event{Kind: harness.EvBound, Note: "the proxy did not come back"})
		}
	}
	e := harness.Event{Kind: harness.EvEnd, Worker: s.number, Incarnation: s.incarnation, Delivery: x.delivery, Note: x.end.Note}
	t.mu.Lock()
	s.atWork, s.life, s.alive = false, nil, x.end.Alive
	t.mu.Unlock()
	if t.gate != nil {
		t.gate.done(s.number)
	}
	t.session.Add(e)
	now := time.Now()
	for w := range t.waiting {
		// A worker that waits for another goes on as soon as one has ended; one that
		// ended in waiting itself is none, or two that wait would wake each other.
		if t.waiting[w] && w != m && !x.waits {
			t.due[w], t.waiting[w] = now, false
		}
	}
	t.lastEnd, t.lastAcked, t.lastDied = now, x.nack == "", x.end.Died
	e.Kind, e.Note = harness.EvAck, ""
	if x.nack == "" {
		m.settled = true
		t.session.Add(e)
		return
	}
	e.Kind, e.Note = harness.EvNack, x.nack
	t.session.Add(e)
	bound := ""
	switch {
	case x.waits:
		m.waits++
		t.due[m], t.waiting[m] = now.Add(t.s.Limits.Visibility()), true
		if m.waits >= t.s.Limits.Waits {
			bound = "hand-overs that end in waiting"
		}
	case x.end.Died:
		m.fails++
		t.due[m] = now
	default:
		m.fails++
		t.due[m] = now.Add(t.s.Limits.Visibility())
	}
	if m.fails >= t.s.Limits.Deliveries {
		m.settled = true
		if !x.review {
			bound = "deliveries"
		}
	}
	if bound != "" {
		m.settled = true
		e.Kind, e.Note = harness.EvBound, bound
		t.session.Add(e)
	}
}
