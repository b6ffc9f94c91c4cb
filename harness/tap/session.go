package tap

import (
	"slices"
	"strings"
	"sync"

	"github.com/retrydrill/drill/harness"
)

// Session is one trial at the tap: counters, attribution, decisions. It knows no
// protocol.
type Session struct {
	*Recorder
	// Counts is asked, beside the schedule's condition, whether the lines count a
	// request; nil counts every one. It must not call the session.
	Counts   func(harness.Event) bool
	schedule harness.Schedule
	namer    harness.Namer

	mu sync.Mutex
	// armed are the lines that came while the session ran; changed is closed and
	// renewed whenever one of them is.
	armed    []*Armed
	lastID   int
	changed  chan struct{}
	counts   counts
	attempts []*Crossed
	holding  map[life][]harness.DeliveredAction
	known    []harness.DeliveredAction
	reports  int
}

// Crossed is one request as the tap counted it.
type Crossed struct {
	harness.Event
	// counts are its numbers in each counter it is in, for the schedule's lines.
	counts counts
}

type life struct{ worker, incarnation int }

// counter is one of the counts that a request is in: under an operation, any or
// mutate, over the trial, a slot, or an action. all counts what the schedule's
// condition on connections leaves out, too.
type counter struct {
	point  string
	worker int
	action string
	all    bool
}

// counts are a few counters: a trial has less than a map would pay for.
type counts []count

type count struct {
	counter
	n int
}

func (c counts) of(k counter) (n int, ok bool) {
	for i := range c {
		if c[i].counter == k {
			return c[i].n, true
		}
	}
	return 0, false
}

func (c *counts) set(k counter, n int) {
	for i := range *c {
		if (*c)[i].counter == k {
			(*c)[i].n = n
			return
		}
	}
	*c = append(*c, count{k, n})
}

// NewSession starts a trial.
func NewSession(s harness.Schedule, n harness.Namer, r *Recorder) *Session {
	return &Session{Recorder: r, schedule: s, namer: n, counts: make(counts, 0, 16), holding: map[life][]harness.DeliveredAction{},
		changed: make(chan struct{})}
}

// Deliver records a hand-over; from now on the life's requests belong to it.
func (s *Session) Deliver(e harness.Event) int {
	s.mu.Lock()
	s.known = append(s.known, e.Deliver.Actions...)
	held := e.Deliver.Actions
	if len(held) == 0 {
		// A recovery is handed nothing and may take up whatever was handed over before.
		held = latest(s.known)
	}
	s.holding[life{e.Worker, e.Incarnation}] = held
	s.mu.Unlock()
	return s.Add(e)
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

// Report records a report and numbers it over the trial.
func (s *Session) Report(e harness.Event) harness.Event {
	s.mu.Lock()
	s.reports++
	e.N = s.reports
	for _, a := range s.holding[life{e.Worker, e.Incarnation}] {
		if a.ID == e.Report.ActionID {
			e.Action = a.Name
		}
	}
	s.mu.Unlock()
	e.Seq = s.Add(e)
	return e
}

// Record numbers one write of an executor's own store and asks the schedule what
// happens to it. It records nothing: what became of the write is not known yet.
func (s *Session) Record(e harness.Event, actionID string) (harness.Event, *harness.Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range s.known {
		step, is := strings.CutPrefix(actionID, a.ID+":")
		if a.ID == actionID || is {
			// The record of one step is named by the action and the operation.
			e.Action = a.Name
			e.Op, _, _ = strings.Cut(step, ":")
			if !is {
				e.Op = ""
			}
			break
		}
	}
	in := make(counts, 0, 3)
	e.N = s.tally(counter{point: harness.Record}, &in)
	s.tally(counter{point: harness.Record, worker: e.Worker}, &in)
	if e.Action != "" {
		s.tally(counter{point: harness.Record, action: e.Action}, &in)
	}
	for i := range s.schedule.Faults {
		f := &s.schedule.Faults[i]
		n, ok := in.of(counter{f.Where.Point, f.Where.Worker, f.Where.Action, false})
		if f.Where.Point == harness.Record && ok && f.Where.Counts(n) {
			return e, f
		}
	}
	return e, nil
}

// Arrive numbers and attributes a whole request, and records it. The event holds
// what is known of the connection and the raw request.
func (s *Session) Arrive(e harness.Event, n harness.Named) *Crossed {
	s.mu.Lock()
	e.Kind = harness.EvRequest
	e.Op, e.Changes = n.Op, n.Changes
	e.Key, e.BusinessKey, e.Reference, e.Arguments, e.Resource = n.Key, n.BusinessKey, n.Reference, n.Arguments, n.Resource
	var second string
	e.Action, e.Rule, second = s.attribute(e)
	e.Attempt = len(s.attempts) + 1
	c := &Crossed{counts: make(counts, 0, 9)}
	meets := s.meets(e)
	for _, point := range points(e) {
		if point == "" {
			continue
		}
		plain := s.tally(counter{point: point, all: true}, nil)
		if point == e.Op || e.Op == "" && point == harness.AnyOp {
			e.N = plain
		}
		if !meets {
			continue
		}
		s.tally(counter{point: point}, &c.counts)
		s.tally(counter{point: point, worker: e.Worker}, &c.counts)
		if e.Action != "" {
			s.tally(counter{point: point, action: e.Action}, &c.counts)
		}
	}
	c.Event = e
	s.attempts = append(s.attempts, c)
	s.mu.Unlock()
	if second != "" {
		s.Add(harness.Event{Kind: harness.EvDisagree, Worker: e.Worker, Incarnation: e.Incarnation, Attempt: e.Attempt,
			Action: e.Action, Note: "the key or reference names " + second})
	}
	c.Seq = s.Add(e)
	return c
}

func (s *Session) tally(k counter, into *counts) int {
	n, _ := s.counts.of(k)
	s.counts.set(k, n+1)
	if into != nil {
		into.set(k, n+1)
	}
	return n + 1
}

func (s *Session) count(k counter) int {
	n, _ := s.counts.of(k)
	return n
}

// points are the names under which a request counts; an empty one is none.
func points(e harness.Event) [3]string {
	out := [3]string{harness.AnyOp, e.Op}
	if e.Changes {
		out[2] = harness.MutateOp
	}
	return out
}

// meets says whether the request meets the conditions on connections.
func (s *Session) meets(e harness.Event) bool {
	if s.Counts != nil && !s.Counts(e) {
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
func (s *Session) attribute(e harness.Event) (action string, rule int, disagrees string) {
	held := s.holding[life{e.Worker, e.Incarnation}]
	byID := ""
	for _, a := range s.known {
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
	for _, a := range held {
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
	defer s.mu.Unlock()
	return s.at(c, side)
}

func (s *Session) at(c *Crossed, side harness.Side) *harness.Fault {
	for i := range s.schedule.Faults {
		f := &s.schedule.Faults[i]
		if f.Where.Side != side || !f.Where.IsOperation() {
			continue
		}
		n, ok := c.counts.of(counter{f.Where.Point, f.Where.Worker, f.Where.Action, false})
		if ok && f.Where.Counts(n) {
			return f
		}
	}
	return nil
}

// AtReport asks the schedule what happens to the n-th report.
func (s *Session) AtReport(e harness.Event) *harness.Fault {
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
	if !s.meets(e) {
		return nil
	}
	action, _, _ := s.attribute(e)
	var c Crossed
	for _, point := range points(e) {
		for _, k := range []counter{{point: point}, {point: point, worker: e.Worker}, {point: point, action: action}} {
			n, _ := s.counts.of(k)
			c.counts.set(k, n+1)
		}
	}
	return s.at(&c, side)
}

// Fired records that a line was carried out.
func (s *Session) Fired(f harness.Fault, e harness.Event) {
	defer s.fired(f, e.Attempt)
	s.Add(harness.Event{Kind: harness.EvFault, Fault: f.String(), Worker: e.Worker, Incarnation: e.Incarnation,
		Delivery: e.Delivery, Action: e.Action, Attempt: e.Attempt, Op: e.Op, N: e.N, Copy: e.Copy, Note: e.Note})
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
	s.Add(e)
}
