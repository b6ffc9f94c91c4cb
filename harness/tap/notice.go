package tap

import "github.com/retrydrill/drill/harness"

// Notice numbers and records what the target told by itself, and of whose request, and
// asks the schedule what becomes of it. The event is the one that was recorded.
func (s *Session) Notice(n harness.Notice) (*harness.Event, *harness.Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var of Crossed
	if n.Attempt >= 1 && n.Attempt <= len(s.attempts) {
		of = *s.attempts[n.Attempt-1]
	} else {
		of.Event = &harness.Event{}
	}
	e := s.begun(harness.EvNotice, By{of.Worker, of.Incarnation, of.Delivery})
	s.counts.notices = append(s.counts.notices, counted{worker: of.Worker, action: of.Action})
	e.Notice, e.Attempt, e.Action, e.N = &n, n.Attempt, of.Action, len(s.counts.notices)
	s.Done(e)
	return e, s.strikes(s.lines.notices, s.counts.notices, e.N)
}
