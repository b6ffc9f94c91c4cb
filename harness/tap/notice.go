package tap

import "github.com/retrydrill/drill/harness"

// Notice numbers and records what the target told by itself, and of whose request, and
// asks the schedule what becomes of it. The event is the one that was recorded.
func (s *Session) Notice(n harness.Notice) (*harness.Event, *harness.Fault) {
	s.mu.Lock()
	var of Crossed
	if n.Attempt >= 1 && n.Attempt <= len(s.attempts) {
		of = *s.attempts[n.Attempt-1]
	} else {
		of.Event = &harness.Event{}
	}
	in := s.counts.notices.count(s.counts.scoped, of.Worker, of.Action)
	line := strikes(s.lines.notices, in, of.Worker, of.Action)
	s.mu.Unlock()
	e := s.begun(harness.EvNotice, By{of.Worker, of.Incarnation, of.Delivery})
	e.Notice, e.Attempt, e.Action, e.N = &n, n.Attempt, of.Action, in.n
	s.Done(e)
	return e, line
}
