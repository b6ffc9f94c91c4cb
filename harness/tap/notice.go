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
	var in counts
	e.N = s.tally(counter{point: harness.AtEvent}, &in)
	if e.Worker != 0 {
		s.tally(counter{point: harness.AtEvent, worker: e.Worker}, &in)
	}
	if e.Action != "" {
		s.tally(counter{point: harness.AtEvent, action: e.Action}, &in)
	}
	var line *harness.Fault
	for i := range s.schedule.Faults {
		f := &s.schedule.Faults[i]
		if k, ok := in.of(counter{f.Where.Point, f.Where.Worker, f.Where.Action, false}); ok && f.Where.Counts(k) {
			line = f
			break
		}
	}
	s.mu.Unlock()
	e.Seq = s.Add(e)
	return e, line
}
