package sim

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/deliver"
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
	// down: connections are refused.
	down bool

	// hand is what it is at work at, nil while idle.
	hand     *deliver.Hand
	heard    *deliver.Hearing
	end      worker.End
	deadline time.Duration
	late     bool
	logged   int
	stop     context.CancelCauseFunc
}

// seat returns the n-th worker's place, and makes it if there is none yet.
func (t *trial) seat(n int) *seat {
	for len(t.seats) < n {
		s := &seat{t: t, number: len(t.seats) + 1}
		s.runner.New = t.start
		if s.number == 1 {
			s.dir = t.directory()
		} else {
			s.dir = t.seats[0].dir
		}
		t.seats = append(t.seats, s)
	}
	return t.seats[n-1]
}

// hand hands one message to its worker, which goes on as a fiber.
func (t *trial) hand(d *deliver.Hand) error {
	s := t.seat(d.Worker)
	if d.Together > 0 {
		t.gate = deliver.NewRendezvous(d.Together, t.s.Order == "reverse")
	}
	if d.Has("elsewhere") {
		s.dir = t.directory()
		if err := s.bury(); err != nil {
			return err
		}
	}
	s.down = d.Has("down")
	shown := d.Again
	if t.s.Blind {
		shown = 1
	}
	job := d.Message.Job(shown)
	if s.life == nil {
		s.incarnation++
		s.life = s.born()
	}
	if s.down {
		s.life.idle = nil
	}
	s.life.delivery = d.Delivery
	s.hand, s.heard, s.late, s.logged = d, deliver.Hear(d.Message), false, 0
	s.deadline = t.now + t.s.Limits.Delivery.D()
	e := s.event(harness.EvDeliver)
	e.Deliver = d.Message.Delivered(t.target.Namer, d.How)
	t.session.Deliver(e)
	for _, f := range d.Lines {
		t.session.Fired(f, s.event(""))
	}
	ctx, stop := context.WithCancelCause(context.Background())
	s.stop = stop
	f := t.pool.take(func() {
		s.end = s.runner.Deliver(ctx, worker.Handover{Env: s.life.env, Job: &job, Delivery: d.Again},
			worker.Listener{Report: s.report, Log: s.log})
	})
	f.slot, f.seat = s.number, s
	t.add(f)
	return nil
}

// event is an event of the hand-over at work.
func (s *seat) event(k harness.EventKind) harness.Event {
	return harness.Event{Kind: k, Worker: s.number, Incarnation: s.incarnation, Delivery: s.life.delivery}
}

// bury ends the incarnation.
func (s *seat) bury() error {
	s.life = nil
	if err := s.runner.Close(); err != nil {
		return fmt.Errorf("worker %d: %w", s.number, err)
	}
	return nil
}

// born begins a life with handles of its own.
func (s *seat) born() *life {
	l := &life{t: s.t, seat: s}
	env := deliver.Env(s.t.s, s.t.target.Promises, s.t.token)
	env.TargetURL, env.StateDir, env.Worker = "http://"+host, s.dir.name, s.number
	env.HTTP, env.Clock, env.Memory = &http.Client{Transport: &client{life: l}}, (*clock)(l), (*memory)(l)
	env.Records = (*records)(l)
	env.Log = slog.New(slog.NewTextHandler((*logger)(l), &slog.HandlerOptions{ReplaceAttr: dropTime}))
	l.env = env
	return l
}

// dropTime leaves the time out of what an executor logs.
func dropTime(groups []string, a slog.Attr) slog.Attr {
	if len(groups) == 0 && a.Key == slog.TimeKey {
		return slog.Attr{}
	}
	return a
}

// expire ends a delivery that took too long: a life that can be killed is, another
// is told to give up.
func (s *seat) expire() {
	s.late = true
	s.stop(errTooLong)
	if s.t.s.Kills() {
		s.life.die()
	}
}

// ended settles a delivery or makes it due again.
func (t *trial) ended(s *seat) {
	end, d := s.end, s.hand
	s.stop(nil)
	if s.life.dead {
		// What it answered after its death is nobody's.
		end = worker.End{Note: "killed", Died: true}
	} else if end.Err != nil {
		s.log(end.Err.Error())
	}
	heard := s.heard.Judge(end, s.late)
	e := s.event(harness.EvEnd)
	e.Note = end.Note
	s.hand, s.down = nil, false
	if !end.Alive || t.s.Kills() {
		// Where a schedule kills, each delivery is a process of its own, as on the wire.
		t.err = errors.Join(t.err, s.bury())
	}
	if end.Note == "not started" {
		t.err = errors.Join(t.err, end.Err)
	}
	if t.gate != nil {
		t.gate.Done(s.number)
	}
	t.session.Add(e)
	for _, e := range t.queue.End(deliver.Ended{Hand: d, Heard: heard, Incarnation: e.Incarnation, Died: end.Died}, t.clock()) {
		t.session.Add(e)
	}
}

// report handles one report as it is read.
func (s *seat) report(r harness.Report) {
	if s.life.enter() != nil {
		return
	}
	if r.ActionID == "" {
		s.heard.NoReport()
		s.log(r.Detail)
		return
	}
	e := s.event(harness.EvReport)
	e.Report = &r
	e = s.t.session.Report(e)
	s.heard.Report(r)
	if f := s.t.session.AtReport(e); f != nil {
		carryAtReport(s, *f, e)
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
