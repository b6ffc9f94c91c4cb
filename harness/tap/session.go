package tap

import (
	"slices"
	"strings"

	"github.com/retrydrill/drill/harness"
)

// Session is one trial at the tap: counters, attribution, decisions. It knows no
// protocol.
type Session struct {
	*Recorder
	// Counts is asked, beside the schedule's condition, whether the lines count a
	// request; nil counts every one. It must not call the session.
	Counts func(harness.Event) bool
	// lines are the schedule's, spelled; the room for them is kept from trial to trial.
	lines    []harness.Fault
	schedule harness.Schedule
	namer    harness.Namer

	mu lock
	// armed are the lines that came while the session ran; changed is closed and
	// renewed whenever one of them is.
	armed    []*Armed
	lastID   int
	changed  chan struct{}
	counts   tallies
	attempts []*Crossed
	holding  []held
	known    []harness.DeliveredAction
	reports  int
	// cuts: a line cuts requests inside their bodies.
	cuts bool
}

// Crossed is one request as the tap counted it.
type Crossed struct {
	harness.Event
	// counts are its numbers under its operation, any and mutate, for the schedule's
	// lines: none where it does not meet the condition on connections.
	counts [3]numbers
}

// held is what a life of a worker has in hand.
type held struct {
	worker, incarnation int
	actions             []harness.DeliveredAction
}

// NewSession starts a trial.
func NewSession(s harness.Schedule, n harness.Namer, r *Recorder) *Session {
	x := &Session{Recorder: r, changed: make(chan struct{})}
	x.begin(&s, n)
	return x
}

// Alone says that nobody is at the session while another one is, as in a world that
// lets one go at a time. It is said before anybody is.
func (s *Session) Alone() { s.mu.alone, s.Recorder.mu.alone = true, true }

// Reset starts another trial, as NewSession with the recorder that it has, which has
// been reset too. Nobody may be at work in the one before.
func (s *Session) Reset(schedule *harness.Schedule, n harness.Namer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.armed, s.lastID = nil, 0
	s.begin(schedule, n)
}

func (s *Session) begin(schedule *harness.Schedule, n harness.Namer) {
	lines := append(s.lines[:0], schedule.Faults...)
	for i := range lines {
		// They are spelled once, not at each event that tells of them.
		lines[i].Spell()
	}
	s.lines = lines
	s.schedule, s.namer = *schedule, n
	s.schedule.Faults = lines
	s.counts, s.attempts, s.holding, s.known, s.reports = s.counts[:0], s.attempts[:0], s.holding[:0], s.known[:0], 0
	s.cuts = s.schedule.Has(cutKey)
}

// cutKey is the fault that cuts a request inside its body.
const cutKey = "request cut"

// cutsSome reports whether a line, of the schedule or armed since, cuts a request
// inside its body.
func (s *Session) cutsSome() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cuts
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
func (s *Session) Deliver(e *harness.Event) int {
	s.mu.Lock()
	s.known = append(s.known, e.Deliver.Actions...)
	held := e.Deliver.Actions
	if len(held) == 0 {
		// A recovery is handed nothing and may take up whatever was handed over before.
		held = latest(s.known)
	}
	s.hold(e.Worker, e.Incarnation, held)
	s.mu.Unlock()
	return s.Put(e)
}

// latest are the actions as they were last handed over, in the order of their first.
func latest(known []harness.DeliveredAction) (out []harness.DeliveredAction) {
	for _, a := range known {
		i := slices.IndexFunc(out, func(b harness.DeliveredAction) bool { return b.Name == a.Name })
		if i < 0 {
			out = append(out, a)
			continue
		}
		out[i] = a
	}
	return out
}

// Report records a report and numbers it over the trial, in its event.
func (s *Session) Report(e *harness.Event) {
	s.mu.Lock()
	s.reports++
	e.N = s.reports
	held := s.holds(e.Worker, e.Incarnation)
	for i := range held {
		if held[i].ID == e.Report.ActionID {
			e.Action = held[i].Name
		}
	}
	s.mu.Unlock()
	e.Seq = s.Put(e)
}

// Record numbers one write of an executor's own store in its event, and asks the
// schedule what happens to it. It records nothing: what became of the write is not known yet.
func (s *Session) Record(e *harness.Event, actionID string) *harness.Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.known {
		a := &s.known[i]
		rest, is := strings.CutPrefix(actionID, a.ID)
		if !is || rest != "" && rest[0] != ':' {
			continue
		}
		e.Action = a.Name
		if rest != "" {
			// The record of one step is named by the action and the operation.
			e.Op, _, _ = strings.Cut(rest[1:], ":")
		}
		break
	}
	in := s.counts.at(harness.Record).count(e.Worker, e.Action)
	e.N = in.n
	return s.strikes(harness.Record, in)
}

// strikes is the first line at a point that is no operation which strikes what has
// these numbers, or nil.
func (s *Session) strikes(point string, in numbers) *harness.Fault {
	for i := range s.schedule.Faults {
		f := &s.schedule.Faults[i]
		if f.Where.Point == point && in.meets(f.Where) {
			return f
		}
	}
	return nil
}

// Arrive numbers and attributes a whole request, and records it. The event holds
// what is known of the connection and the raw request.
func (s *Session) Arrive(e harness.Event, n harness.Named) *Crossed {
	return s.arrive(&Crossed{}, &e, &n)
}

func (s *Session) arrive(c *Crossed, what *harness.Event, n *harness.Named) *Crossed {
	s.mu.Lock()
	c.Event = *what
	e := &c.Event
	e.Kind = harness.EvRequest
	e.Op, e.Changes = n.Op, n.Changes
	e.Key, e.BusinessKey, e.Reference, e.Arguments, e.Resource = n.Key, n.BusinessKey, n.Reference, n.Arguments, n.Resource
	var second string
	e.Action, e.Rule, second = s.attribute(e)
	e.Attempt = len(s.attempts) + 1
	c.counts = [3]numbers{}
	meets := s.meets(e)
	for i, point := range points(e) {
		if point == "" {
			continue
		}
		t := s.counts.at(point)
		t.all++
		if point == e.Op || e.Op == "" && point == harness.AnyOp {
			e.N = t.all
		}
		if meets {
			c.counts[i] = t.count(e.Worker, e.Action)
		}
	}
	s.attempts = append(s.attempts, c)
	s.mu.Unlock()
	if second != "" {
		s.Add(harness.Event{Kind: harness.EvDisagree, Worker: e.Worker, Incarnation: e.Incarnation, Attempt: e.Attempt,
			Action: e.Action, Note: "the key or reference names " + second})
	}
	c.Seq = s.Put(e)
	return c
}

// points are the names under which a request counts; an empty one is none.
func points(e *harness.Event) [3]string {
	out := [3]string{harness.AnyOp, e.Op}
	if e.Changes {
		out[2] = harness.MutateOp
	}
	return out
}

// meets says whether the request meets the conditions on connections.
func (s *Session) meets(e *harness.Event) bool {
	if s.Counts != nil && !s.Counts(*e) {
		return false
	}
	switch s.schedule.Connection {
	case "warm":
		return e.Warm
	case "cold":
		return !e.Warm
	}
	return true
}

// attribute says whose a request is, by the strongest rule that tells: (1) the
// delivery that the life holds, if it brought one action; (2) the action ID in key
// or reference; (3) business key and arguments, if one action matches; else (4).
// disagrees names the action of rule 2 where rule 1 said another.
func (s *Session) attribute(e *harness.Event) (action string, rule int, disagrees string) {
	held := s.holds(e.Worker, e.Incarnation)
	byID := ""
	for i := range s.known {
		a := &s.known[i]
		if a.ID != "" && (strings.Contains(e.Key, a.ID) || e.Reference != "" && strings.Contains(e.Reference, a.ID)) {
			byID = a.Name
		}
	}
	if len(held) == 1 {
		if byID != "" && byID != held[0].Name {
			disagrees = byID
		}
		return held[0].Name, 1, disagrees
	}
	if byID != "" {
		return byID, 2, ""
	}
	match := ""
	for i := range held {
		a := &held[i]
		if a.BusinessKey == e.BusinessKey && e.BusinessKey != "" && (e.Arguments == "" || e.Arguments == a.WireOf(e.Op)) {
			if match != "" && match != a.Name {
				return "", 4, ""
			}
			match = a.Name
		}
	}
	if match != "" {
		return match, 3, ""
	}
	return "", 4, ""
}

// At asks the schedule what happens to the request on one side: the first listed
// line that strikes, or nil.
func (s *Session) At(c *Crossed, side harness.Side) *harness.Fault {
	s.mu.Lock()
	f := s.at(c, side)
	s.mu.Unlock()
	return f
}

func (s *Session) at(c *Crossed, side harness.Side) *harness.Fault {
	for i := range s.schedule.Faults {
		f := &s.schedule.Faults[i]
		if f.Where.Side != side || !f.Where.IsOperation() {
			continue
		}
		for k := range c.counts {
			if in := &c.counts[k]; in.point == f.Where.Point && in.meets(f.Where) {
				return f
			}
		}
	}
	return nil
}

// AtReport asks the schedule what happens to the n-th report.
func (s *Session) AtReport(e *harness.Event) *harness.Fault {
	for i := range s.schedule.Faults {
		f := &s.schedule.Faults[i]
		if f.Where.Point == harness.AtReport && f.Where.Counts(e.N) &&
			(f.Where.Worker == 0 || f.Where.Worker == e.Worker) && (f.Where.Action == "" || f.Where.Action == e.Action) {
			return f
		}
	}
	return nil
}

// Next is the number that the next whole request of this operation gets for the
// schedule's lines over the trial; a request that is torn on purpose takes it.
func (s *Session) Next(e harness.Event, n harness.Named, side harness.Side) *harness.Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	e.Op, e.Changes, e.Key, e.BusinessKey, e.Reference = n.Op, n.Changes, n.Key, n.BusinessKey, n.Reference
	if !s.meets(&e) {
		return nil
	}
	action, _, _ := s.attribute(&e)
	var c Crossed
	for i, point := range points(&e) {
		if point != "" {
			c.counts[i] = s.counts.at(point).next(e.Worker, action)
		}
	}
	return s.at(&c, side)
}

// Fired records that a line was carried out.
func (s *Session) Fired(f harness.Fault, e harness.Event) {
	to := s.New()
	to.Kind, to.Fault, to.Worker, to.Incarnation, to.Delivery = harness.EvFault, f.String(), e.Worker, e.Incarnation, e.Delivery
	to.Action, to.Attempt, to.Op, to.N, to.Copy, to.Note = e.Action, e.Attempt, e.Op, e.N, e.Copy, e.Note
	s.Done(to)
	s.fired(f, e.Attempt)
}

// Effect records a ledger entry and whose it is.
func (s *Session) Effect(x harness.Effect) {
	e := harness.Event{Kind: harness.EvEffect, Effect: &x, Attempt: x.Attempt, Copy: x.Copy}
	s.mu.Lock()
	if x.Attempt >= 1 && x.Attempt <= len(s.attempts) {
		a := s.attempts[x.Attempt-1]
		e.Worker, e.Incarnation, e.Delivery, e.Action, e.Rule, e.Op, e.N = a.Worker, a.Incarnation, a.Delivery, a.Action, a.Rule, a.Op, a.N
	}
	s.mu.Unlock()
	s.Put(&e)
}
