package sim

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/deliver"
	"github.com/retrydrill/drill/harness/tap"
	"github.com/retrydrill/drill/harness/worker"
)

var errTooLong = errors.New("the delivery took too long")

// seat is one worker's place.
type seat struct {
	t           *trial
	number      int
	dir         *directory
	runner      worker.InProcess
	incarnation int
	// life is the incarnation that is alive, or nil.
	life *life
	// unreachable is what a new connection gets in place of one; nil is one.
	unreachable error

	// hand is what it is at work at, nil while idle.
	hand     *deliver.Hand
	job      worker.Job
	patience *patience
	heard    deliver.Hearing
	end      worker.End
	deadline time.Duration
	late     bool
	logged   int
	// stop ends the context in a bubble.
	stop context.CancelCauseFunc
	// work is one delivery, on says what is heard of it: the same for each.
	work func()
	on   worker.Listener
	// lives are those that it had in this trial, the first born ones, and in others.
	lives []*life
	born  int
}

// newSeat makes a worker's place.
func newSeat(t *trial, number int) *seat {
	s := &seat{t: t, number: number}
	s.work = func() {
		s.life.handed.Delivery = s.hand.Again
		s.end = s.runner.Deliver(s.patience, s.life.handed, s.on)
	}
	s.on = worker.Listener{Report: s.report, Log: s.log}
	return s
}

// begin makes it a place of another trial.
func (s *seat) begin() {
	s.runner.New = s.t.start
	s.dir, s.incarnation, s.life, s.unreachable, s.hand = nil, 0, nil, nil, nil
	s.born = 0
	if !s.t.again {
		// Another executor may have kept what it was handed.
		s.lives = nil
	}
}

// leave ends what its lives still have of a trial that is over.
func (s *seat) leave() {
	for _, l := range s.lives[:s.born] {
		l.dead, l.over, l.idle = true, true, nil
	}
	s.stop, s.patience, s.job = nil, nil, worker.Job{}
}

// seat returns the n-th worker's place, and makes it if there is none yet.
func (t *trial) seat(n int) *seat {
	for len(t.seats) < n {
		if k := len(t.seats); k < cap(t.seats) && t.seats[:k+1][k] != nil {
			t.seats = t.seats[:k+1]
		} else {
			t.seats = append(t.seats, newSeat(t, k+1))
		}
		s := t.seats[len(t.seats)-1]
		s.begin()
		if s.number == 1 {
			s.dir = t.directory()
		} else {
			s.dir = t.seats[0].dir
		}
	}
	return t.seats[n-1]
}

// hand hands one message to its worker, which goes on as a fiber.
func (t *trial) hand(d *deliver.Hand) error {
	s := t.seat(d.Worker)
	if len(d.Together) > 0 {
		t.gate = deliver.NewRendezvous(d.Together, t.s.Order == "reverse")
	}
	if d.Has("elsewhere") {
		s.dir = t.directory()
		if err := s.bury(); err != nil {
			return err
		}
	}
	s.unreachable = d.Unreachable(host)
	if d.Has("down") {
		s.unreachable = refused()
	}
	shown := d.Again
	if t.s.Blind {
		shown = 1
	}
	s.job = worker.Job{}
	d.Message.Fill(&s.job, shown)
	if s.life == nil {
		s.incarnation++
		s.life = s.bear()
	}
	if s.unreachable != nil {
		s.life.idle = nil
		if t.bubble != nil {
			t.bubble.hangUp(s.life)
		}
	}
	if t.bubble == nil {
		if s.patience = &s.life.first; s.life.delivery > 0 {
			s.patience = &patience{}
		}
	}
	s.life.delivery, s.life.ended = d.Delivery, false
	s.hand, s.late, s.logged = d, false, 0
	s.heard.Begin(d.Message)
	s.deadline = t.now + t.s.Limits.Delivery.D()
	t.session.Deliver(s.by(), d.Message.Delivered(t.session.Delivered(d.Message.Brings()), t.target.Namer, d.How))
	for _, f := range d.Lines {
		e := s.event(harness.EvFault)
		t.session.Fired(f, &e)
	}
	f := t.pool.take(s.work)
	f.slot, f.seat = s.number, s
	if b := t.bubble; b != nil {
		f.work, f.seat = b.starts(s), nil
	}
	t.add(f)
	return nil
}

// event is an event of the hand-over at work.
func (s *seat) event(k harness.EventKind) (e harness.Event) {
	s.tells(&e, k)
	return e
}

// by is whose doing is what is done in the hand-over at work.
func (s *seat) by() tap.By {
	return tap.By{Worker: s.number, Incarnation: s.incarnation, Delivery: s.life.delivery}
}

// tells makes an empty event one of the hand-over at work. Events are large: those that
// every trial has are filled in where they are to stay.
func (s *seat) tells(e *harness.Event, k harness.EventKind) {
	e.Kind, e.Worker, e.Incarnation, e.Delivery = k, s.number, s.incarnation, s.life.delivery
}

// giveUp ends the context of the hand-over at work.
func (s *seat) giveUp(why error) {
	if s.t.bubble != nil {
		s.stop(why)
		return
	}
	s.patience.end(why)
}

// bury ends the incarnation.
func (s *seat) bury() error {
	l := s.life
	s.life = nil
	if err := s.t.closes(s, l); err != nil {
		return fmt.Errorf("worker %d: %w", s.number, err)
	}
	return nil
}

// expire ends a delivery that took too long: a life that can be killed is, another
// is told to give up.
func (s *seat) expire() {
	// In a bubble one that does not give up does not hold up the trial.
	late := s.late && s.t.bubble != nil
	s.late = true
	s.giveUp(errTooLong)
	if late || s.t.kills {
		s.life.die()
	}
}

// ended settles a delivery or makes it due again.
func (t *trial) ended(s *seat) {
	end, d := s.end, s.hand
	s.giveUp(nil)
	if s.life.dead {
		// What it answered after its death is nobody's.
		end = worker.End{Note: "killed", Died: true}
	} else if end.Err != nil {
		s.log(end.Err.Error())
	}
	heard := s.heard.Judge(end, s.late)
	by := s.by()
	s.hand, s.unreachable, s.life.ended = nil, nil, true
	if !end.Alive || t.kills {
		// Where a schedule kills, each delivery is a process of its own, as on the wire.
		t.err = errors.Join(t.err, s.bury())
	}
	if end.Note == "not started" {
		t.err = errors.Join(t.err, end.Err)
	}
	if t.gate != nil {
		t.gate.Done(s.number)
	}
	e := t.session.New()
	e.Kind, e.Worker, e.Incarnation, e.Delivery, e.Note = harness.EvEnd, by.Worker, by.Incarnation, by.Delivery, end.Note
	t.session.Done(e)
	told := t.queue.End(deliver.Ended{Hand: d, Heard: heard, Incarnation: by.Incarnation, Died: end.Died}, t.now)
	for i := range told {
		e := t.session.New()
		e.Kind, e.Worker, e.Incarnation, e.Delivery = told[i].Kind, by.Worker, by.Incarnation, by.Delivery
		e.Note, e.Fault = told[i].Note, told[i].Fault
		t.session.Done(e)
	}
	d.Over()
}

// report handles one report as it is read.
func (s *seat) report(r harness.Report) {
	if s.life.acts() != nil {
		return
	}
	if r.ActionID == "" {
		s.heard.NoReport()
		s.log(r.Detail)
		return
	}
	e := s.t.session.Report(s.by(), r)
	s.heard.Report(r)
	if f := s.t.session.AtReport(e); f != nil {
		carryAtReport(s, f, e)
	}
	s.t.stop()
}

// maxLogLine and maxLogLines bound what a history keeps of a worker's talk.
const (
	maxLogLine  = 1 << 10
	maxLogLines = 200
)

func (s *seat) log(line string) {
	s.logged++
	if s.logged > maxLogLines || strings.TrimSpace(line) == "" {
		return
	}
	e := s.event(harness.EvLog)
	e.Note = line[:min(len(line), maxLogLine)]
	s.t.session.Add(e)
}
