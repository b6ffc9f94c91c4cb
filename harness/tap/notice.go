package tap

import "github.com/retrydrill/drill/harness"

// Notice numbers and records what the target told by itself, and of whose request, and
// asks the schedule what becomes of it. The event is the one that was recorded.
func (s *Session) Notice(n harness.Notice) (harness.Event, *harness.Fault) {
	s.mu.Lock()
	e := harness.Event{Kind: harness.EvNotice, Notice: &n, Attempt: n.Attempt}
	if e.Attempt >= 1 && e.Attempt <= len(s.attempts) {
		a := s.attempts[e.Attempt-1]
		e.Worker, e.Incarnation, e.Delivery, e.Action = a.Worker, a.Incarnation, a.Delivery, a.Action
	}
	in := s.counts.at(harness.AtEvent).count(e.Worker, e.Action)
	e.N = in.n
	line := s.strikes(harness.AtEvent, in)
	s.mu.Unlock()
	e.Seq = s.Add(e)
	return e, line
}
