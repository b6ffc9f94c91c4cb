package tap

import (
	"strings"

	"github.com/retrydrill/drill/harness"
)

// Crossed is one request as the tap counted it.
type Crossed struct {
	// Event is the one that was recorded, which nobody changes.
	*harness.Event
}

// From is where a request came from.
type From struct {
	By
	// Conn numbers the connections of the trial; Warm: it had carried a request.
	Conn int
	Warm bool
}

// arrival is what is known of a request beside what the profile reads in it.
type arrival struct {
	From
	method, path, body, note string
}

// Arrive numbers and attributes a whole request, and records it. The event holds
// what is known of the connection and the raw request.
func (s *Session) Arrive(e harness.Event, n harness.Named) *Crossed {
	c := &Crossed{}
	from := From{By{e.Worker, e.Incarnation, e.Delivery}, e.Conn, e.Warm}
	s.arrive(c, &arrival{from, e.Method, e.Path, e.Body, e.Note}, &n)
	return c
}

func (s *Session) arrive(c *Crossed, a *arrival, n *harness.Named) {
	s.mu.Lock()
	action, rule, second := s.attribute(a.By, n)
	if second != "" {
		s.Add(harness.Event{Kind: harness.EvDisagree, Worker: a.Worker, Incarnation: a.Incarnation, Attempt: len(s.attempts) + 1,
			Action: action, Note: "the key or reference names " + second})
	}
	meets := s.meets(a)
	if !meets {
		s.struck.unmet = true
	}
	e := s.begun(harness.EvRequest, a.By)
	e.Action, e.Rule, e.Attempt, e.Op, e.Changes = action, rule, len(s.attempts)+1, n.Op, n.Changes
	e.N = s.counts.next(n.Op)
	s.counts.requests = append(s.counts.requests, counted{n.Op, action, a.Worker, e.N, n.Changes, !meets})
	e.Conn, e.Warm, e.Method, e.Path, e.Body, e.Note = a.Conn, a.Warm, a.method, a.path, a.body, a.note
	e.Key, e.BusinessKey, e.Reference, e.Arguments, e.Resource = n.Key, n.BusinessKey, n.Reference, n.Arguments, n.Resource
	c.Event = e
	s.attempts = append(s.attempts, c)
	s.Done(e)
	s.mu.Unlock()
}

// names makes an empty event one that tells of the same request.
func (c *Crossed) names(e *harness.Event) {
	of := c.Event
	e.Worker, e.Incarnation, e.Delivery, e.Action, e.Attempt = of.Worker, of.Incarnation, of.Delivery, of.Action, of.Attempt
	e.Op, e.N, e.Changes, e.Conn = of.Op, of.N, of.Changes, of.Conn
}

// meets says whether the request meets the conditions on connections.
func (s *Session) meets(a *arrival) bool {
	if s.Counts != nil && !s.Counts(a.Conn) {
		return false
	}
	switch s.connection {
	case "warm":
		return a.Warm
	case "cold":
		return !a.Warm
	}
	return true
}

// attribute says whose a request is, by the strongest rule that tells: (1) the
// delivery that the life holds, if it brought one action; (2) the action ID in key
// or reference; (3) business key and arguments, if one action matches; else (4).
// disagrees names the action of rule 2 where rule 1 said another.
func (s *Session) attribute(by By, n *harness.Named) (action string, rule int, disagrees string) {
	held := s.holds(by.Worker, by.Incarnation)
	byID := ""
	for _, a := range s.known {
		if a.ID != "" && (n.Key == a.ID || strings.Contains(n.Key, a.ID) || strings.Contains(n.Reference, a.ID)) {
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
		if a.BusinessKey == n.BusinessKey && n.BusinessKey != "" && (n.Arguments == "" || n.Arguments == a.WireOf(n.Op)) {
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
func (s *Session) At(c *Crossed, side harness.Side) *harness.Fault { return s.at(c, s.lines.on(side)) }

func (s *Session) at(c *Crossed, lines *[]*harness.Fault) (f *harness.Fault) {
	s.mu.Lock()
	if of := *lines; len(of) > 0 {
		f = s.strikes(of, s.counts.requests, c.Attempt)
	}
	s.mu.Unlock()
	return f
}

// next asks the schedule about the next whole request, if it is this one; a request that
// is torn on purpose takes its numbers.
func (s *Session) next(a *arrival, n *harness.Named) *harness.Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.meets(a) {
		return nil
	}
	// Its arguments are not known yet.
	head := *n
	head.Arguments = ""
	action, _, _ := s.attribute(a.By, &head)
	c := counted{n.Op, action, a.Worker, s.counts.next(n.Op), n.Changes, false}
	return s.first(s.lines.request, &c, s.counts.requests, len(s.counts.requests))
}
