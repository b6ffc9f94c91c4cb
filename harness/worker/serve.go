package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/retrydrill/drill/harness"
)

// Serve runs one long-running process an incarnation, which is asked over HTTP: it is
// started when it is first handed something, and again after a death.
type Serve struct {
	// Command is the argument vector; Environ is what the process inherits.
	Command, Environ []string
	// Mark is a variable (NAME=value) that no other process has; what still carries it
	// when the life ended is killed.
	Mark string
	// How says how it is asked.
	How harness.Served

	life *served
}

// Alive implements [Runner].
func (s *Serve) Alive() bool { return s.life != nil && !s.life.gone() }

// Close implements [Runner]: SIGTERM, and SIGKILL where that does not end it.
func (s *Serve) Close() error {
	l := s.life
	if s.life = nil; l == nil {
		return nil
	}
	return l.end()
}

// Deliver asks the worker, which is started where none is alive.
func (s *Serve) Deliver(ctx context.Context, h Handover, on Listener) End {
	if !Kills {
		return End{Note: "not started", Err: ErrSystem}
	}
	job, err := h.job()
	if err != nil {
		return End{Note: "not started", Err: err}
	}
	if s.life != nil && h.GoesOn && !s.Alive() {
		// Who was to be asked has ended meanwhile.
		return s.ended(ctx, errGone)
	}
	if err := s.live(h, on); err != nil {
		return End{Note: "not started", Err: err}
	}
	l := s.life
	if on.Started != nil {
		on.Started(l)
	}
	stop := context.AfterFunc(ctx, func() { l.Kill() })
	defer stop()
	err = l.becomeReady(ctx, s.How.Ready)
	if err == nil {
		asks, end := untilGivenUp(ctx, h.GivenUp)
		err = s.ask(asks, l, h, job, on)
		end()
	}
	return s.ended(ctx, err)
}

// live begins a life where there is none.
func (s *Serve) live(h Handover, on Listener) error {
	if s.Alive() {
		s.life.out.Store(&on)
		return nil
	}
	if err := s.Close(); err != nil {
		return err
	}
	l, err := s.start(h, on)
	s.life = l
	return err
}

// errGone is returned where the worker ended before it answered.
var errGone = errors.New("it ended before it answered")

// ended says how a delivery ended.
func (s *Serve) ended(ctx context.Context, err error) End {
	if errors.Is(err, errGone) || ctx.Err() != nil {
		// It is dead, or dying.
		<-s.life.reaped
	}
	if !s.Alive() {
		end := s.life.came()
		// What it has answered stands, whatever came of it afterwards.
		end.Clean = err == nil
		if ctx.Err() != nil && end.Died {
			end.Err = context.Cause(ctx)
		}
		return end
	}
	if err != nil {
		return End{Note: err.Error(), Alive: true}
	}
	return End{Note: "answered", Clean: true, Alive: true}
}

// ask makes the requests of one delivery. Each action is asked for, whatever came of
// the one before it.
func (s *Serve) ask(ctx context.Context, l *served, h Handover, job Job, on Listener) error {
	beside := map[string]any{"delivery": job.Delivery, "trigger_key": job.TriggerKey, "answer": job.Answer}
	if !s.How.Mapped() {
		return s.hand(ctx, l, h, beside, on)
	}
	switch job.Deliver {
	case DeliverRecover:
		return s.tell(ctx, l, s.How.Recover, nil, beside, on)
	case DeliverEvent:
		return s.tell(ctx, l, s.How.Event, map[string]any{"event": job.Event}, beside, on)
	}
	var failed error
	for _, a := range job.Actions {
		switch err := s.act(ctx, l, a, beside, on); {
		case errors.Is(err, errGone), errors.Is(err, errGivenUp):
			return err
		case failed == nil:
			failed = err
		}
	}
	return failed
}

// deliver is the request that hands something over.
func (s *Serve) deliver() harness.Ask {
	if s.How.Deliver != nil {
		return *s.How.Deliver
	}
	return harness.Ask{Method: "POST", Path: "/"}
}

// hand hands over the whole job, and reads reports from the answer.
func (s *Serve) hand(ctx context.Context, l *served, h Handover, beside any, on Listener) error {
	f, err := fieldsOf(beside)
	if err != nil {
		return err
	}
	status, body, err := l.request(ctx, s.deliver(), f, h.Raw)
	if err != nil {
		return err
	}
	if status < 200 || status > 299 {
		quote(on, body)
		return fmt.Errorf("answered %d", status)
	}
	l.bytes.Add(int64(len(body)))
	each(body, func(text []byte, whole bool) { dispatch(text, whole, on) })
	return nil
}

// tell makes a request that asks for no report.
func (s *Serve) tell(ctx context.Context, l *served, a *harness.Ask, what, beside any, on Listener) error {
	if a == nil {
		return nil
	}
	f, err := fieldsOf(beside, what)
	if err != nil {
		return err
	}
	raw, err := json.Marshal(f)
	if err != nil {
		return err
	}
	status, body, err := l.request(ctx, *a, f, raw)
	if err == nil && (status < 200 || status > 299) {
		quote(on, body)
		return fmt.Errorf("answered %d", status)
	}
	return err
}

// act asks for one action, and makes a report of the answer.
func (s *Serve) act(ctx context.Context, l *served, a JobAction, beside any, on Listener) error {
	f, err := fieldsOf(beside, a)
	if err != nil {
		return err
	}
	raw, err := json.Marshal(a)
	if err != nil {
		return err
	}
	status, body, err := l.request(ctx, s.deliver(), f, raw)
	if err != nil {
		return err
	}
	answer := decoded(body)
	for _, m := range s.How.Answers {
		if r, fits := m.Fits(status, answer); fits {
			r.ActionID = a.ActionID
			if on.Report != nil {
				on.Report(r)
			}
			return nil
		}
	}
	quote(on, body)
	return fmt.Errorf("answered %d, which means nothing by drill.yaml", status)
}
