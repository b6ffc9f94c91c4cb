package tap

import (
	"slices"
	"strings"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/internal/lone"
)

// Session is one trial at the tap: counters, attribution, decisions. It knows no
// protocol.
type Session struct {
	*Recorder
	// Counts is asked, beside the schedule's condition, whether the lines count a
	// request that came on a connection; nil counts every one. It must not call the
	// session.
	Counts func(conn int) bool
	namer  harness.Namer

	mu lone.Mutex
	// lines are the schedule's and those armed since; connection is the condition that a
	// struck request meets.
	lines      lines
	connection string
	limits     harness.Limits
	// armed are the lines that came while the session ran; changed is closed and
	// renewed whenever one of them is.
	armed   []*Armed
	lastID  int
	changed chan struct{}
	// struck numbers what is counted, for the lines.
	struck   tallies
	attempts []*Crossed
	holding  []held
	known    []*harness.DeliveredAction
	// effects counts what is on record.
	effects int
}

// By says whose doing something is: a worker's, in one of its lives, at a hand-over.
type By struct{ Worker, Incarnation, Delivery int }

// held is what a life of a worker has in hand.
type held struct {
	worker, incarnation int
	actions             []harness.DeliveredAction
}

// NewSession starts a trial.
func NewSession(s harness.Schedule, n harness.Namer, r *Recorder) *Session {
	x := &Session{Recorder: r, changed: make(chan struct{})}
	x.begin(&s)
	x.Reads(n)
	return x
}

// Alone says that nobody is at the session while another one is, as in a world that
// lets one go at a time. It is said before anybody is.
func (s *Session) Alone() { s.mu.Alone, s.Recorder.mu.Alone = true, true }

// Reset starts another trial, as NewSession with the recorder that it has, which has
// been reset too; [Session.Reads] comes after it. Nobody may be at work in the one before.
func (s *Session) Reset(schedule *harness.Schedule) {
	s.mu.Lock()
	s.armed, s.lastID = nil, 0
	s.begin(schedule)
	s.mu.Unlock()
}

func (s *Session) begin(schedule *harness.Schedule) {
	s.lines.set(schedule.Faults)
	s.connection, s.limits = schedule.Connection, schedule.Limits
	s.struck.empty()
	s.attempts, s.holding, s.known, s.effects = s.attempts[:0], s.holding[:0], s.known[:0], 0
}

// Reads says by what requests and answers are read, before any comes.
func (s *Session) Reads(n harness.Namer) { s.namer = n }

// Lines are those of the schedule, with their texts beside them. They stand until Reset.
func (s *Session) Lines() []harness.Fault { return s.lines.all }

// Texts appends the texts of the lines.
func (s *Session) Texts(to []string) []string {
	for i := range s.lines.all {
		to = append(to, s.lines.all[i].Line())
	}
	return to
}

// Effects is how many effects are on record.
func (s *Session) Effects() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.effects
}

// cutsSome reports whether a line, of the schedule or armed since, cuts a request
// inside its body.
func (s *Session) cutsSome() bool {
	s.mu.Lock()
	cuts := s.lines.cuts
	s.mu.Unlock()
	return cuts
}

// holds is what a life has in hand.
func (s *Session) holds(worker, incarnation int) []harness.DeliveredAction {
	for i := range s.holding {
		if h := &s.holding[i]; h.worker == worker && h.incarnation == incarnation {
			return h.actions
		}
	}
	return nil
}

func (s *Session) hold(worker, incarnation int, actions []harness.DeliveredAction) {
	for i := range s.holding {
		if h := &s.holding[i]; h.worker == worker && h.incarnation == incarnation {
			h.actions = actions
			return
		}
	}
	s.holding = append(s.holding, held{worker, incarnation, actions})
}

// Deliver records a hand-over; from now on the life's requests belong to it.
func (s *Session) Deliver(by By, d *harness.Delivered) {
	s.mu.Lock()
	for i := range d.Actions {
		s.known = append(s.known, &d.Actions[i])
	}
	held := d.Actions
	if len(held) == 0 {
		// A recovery is handed nothing and may take up whatever was handed over before.
		held = latest(s.known)
	}
	s.hold(by.Worker, by.Incarnation, held)
	s.mu.Unlock()
	e := s.begun(harness.EvDeliver, by)
	e.Deliver = d
	s.Done(e)
}

// begun is New for an event that is somebody's doing.
func (s *Session) begun(k harness.EventKind, by By) *harness.Event {
	e := s.New()
	e.Kind, e.Worker, e.Incarnation, e.Delivery = k, by.Worker, by.Incarnation, by.Delivery
	return e
}

// latest are the actions as they were last handed over, in the order of their first.
func latest(known []*harness.DeliveredAction) (out []harness.DeliveredAction) {
	for _, a := range known {
		i := slices.IndexFunc(out, func(b harness.DeliveredAction) bool { return b.Name == a.Name })
		if i < 0 {
			out = append(out, *a)
			continue
		}
		out[i] = *a
	}
	return out
}

// Report records a report and numbers it over the trial. The event is the one that was
// recorded.
func (s *Session) Report(by By, r harness.Report) *harness.Event {
	s.mu.Lock()
	action := ""
	held := s.holds(by.Worker, by.Incarnation)
	for i := range held {
		if held[i].ID == r.ActionID {
			action = held[i].Name
		}
	}
	e := s.begun(harness.EvReport, by)
	s.counts.reports = append(s.counts.reports, counted{worker: by.Worker, action: action})
	e.N, e.Action, e.Report = len(s.counts.reports), action, s.own().reports.Put(&r)
	s.Done(e)
	s.mu.Unlock()
	return e
}

// Effect records a ledger entry and whose it is.
func (s *Session) Effect(x harness.Effect) {
	var c *Crossed
	s.mu.Lock()
	if x.Attempt >= 1 && x.Attempt <= len(s.attempts) {
		c = s.attempts[x.Attempt-1]
	}
	s.effects++
	s.mu.Unlock()
	e := s.New()
	e.Kind, e.Effect, e.Attempt, e.Copy = harness.EvEffect, s.own().effects.Put(&x), x.Attempt, x.Copy
	if c != nil {
		e.Worker, e.Incarnation, e.Delivery, e.Action, e.Rule, e.Op, e.N = c.Worker, c.Incarnation, c.Delivery, c.Action, c.Rule, c.Op, c.N
	}
	s.Done(e)
}

// Fired records that a line was carried out at what the event tells of.
func (s *Session) Fired(f *harness.Fault, e *harness.Event) {
	to := s.New()
	to.Kind, to.Fault, to.Worker, to.Incarnation, to.Delivery = harness.EvFault, f.Line(), e.Worker, e.Incarnation, e.Delivery
	to.Action, to.Attempt, to.Op, to.N, to.Copy, to.Note = e.Action, e.Attempt, e.Op, e.N, e.Copy, e.Note
	s.Done(to)
	s.fired(f, e.Attempt)
}

// Record numbers one write of an executor's own store in its event, which is not the
// record's yet, and asks the schedule what happens to it. It records nothing: what became
// of the write is not known yet. See [Session.Wrote].
func (s *Session) Record(e *harness.Event, actionID string) *harness.Fault {
	s.mu.Lock()
	for _, a := range s.known {
		if actionID == a.ID {
			e.Action = a.Name
			break
		}
		if rest, is := strings.CutPrefix(actionID, a.ID); is && rest[0] == ':' {
			// The record of one step is named by the action and the operation.
			e.Action = a.Name
			e.Op, _, _ = strings.Cut(rest[1:], ":")
			break
		}
	}
	s.Recorder.mu.Lock()
	s.counts.records = append(s.counts.records, counted{worker: e.Worker, action: e.Action})
	s.Recorder.mu.Unlock()
	e.N = len(s.counts.records)
	var f *harness.Fault
	if of := s.lines.records; len(of) > 0 {
		f = s.strikes(of, s.counts.records, e.N)
	}
	s.mu.Unlock()
	return f
}

// Wrote records what became of a write: what was written down, and how that ended.
func (s *Session) Wrote(e *harness.Event, r harness.Recorded, note string) {
	to := s.New()
	to.Kind, to.Worker, to.Incarnation, to.Delivery = harness.EvRecord, e.Worker, e.Incarnation, e.Delivery
	to.Action, to.Op, to.N, to.Record, to.Note = e.Action, e.Op, e.N, s.own().records.Put(&r), note
	s.Done(to)
}

// strikes is the first of the lines that strikes the n-th of all things that are counted
// where they are, or nil.
func (s *Session) strikes(lines []*harness.Fault, all []counted, n int) *harness.Fault {
	return s.first(lines, &all[n-1], all, n-1)
}

// first is the first of the lines that strikes a thing, where so many of all came before
// it, or nil.
func (s *Session) first(lines []*harness.Fault, c *counted, all []counted, before int) *harness.Fault {
	for _, f := range lines {
		if s.struck.is(&f.Where, c, all, before) {
			return f
		}
	}
	return nil
}

// AtReport asks the schedule what happens to a report that was recorded.
func (s *Session) AtReport(e *harness.Event) *harness.Fault {
	s.mu.Lock()
	f := s.strikes(s.lines.reports, s.counts.reports, e.N)
	s.mu.Unlock()
	return f
}
