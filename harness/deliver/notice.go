package deliver

import (
	"slices"
	"time"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/worker"
)

// AtEvent are the faults that [Queue.Tell] carries out.
var AtEvent = []string{"event early", "event late", "event lose", "event twice", "event new-id", "event foreign"}

// Tells reports whether the schedule has workers hear of what the target tells by
// itself.
func Tells(s *harness.Schedule) bool {
	for i := range s.Faults {
		if s.Faults[i].Where.Point == harness.AtEvent {
			return true
		}
	}
	return false
}

// Telling is what becomes of one notice.
type Telling struct {
	// Before is closed once the hand-over ended that has to come before the answer of
	// the request that the notice tells of; nil where nothing has to wait.
	Before <-chan struct{}
	// Lost: nobody is told.
	Lost bool
	// Bound names the bound that was hit, once: a worker that takes each notice for an
	// order would be told without end.
	Bound string
}

// maxNotices is how many notices of one trial are handed over.
const maxNotices = 20

// Tell takes a notice of the target and hands it over as the schedule wants, line being
// what strikes it, or nil: to the first worker, once nobody is at work; early and
// foreign ones to another worker at once. A hand-over of a notice has the number of the
// delivery before it, so that the deliver lines to come mean what they do without it.
func (q *Queue) Tell(n harness.Notice, line *harness.Fault, now time.Duration) Telling {
	q.notices++
	if q.notices > maxNotices {
		t := Telling{Lost: true}
		if q.notices == maxNotices+1 {
			t.Bound = "notices of the target"
		}
		return t
	}
	var t Telling
	name := ""
	if line != nil {
		name = line.Name
	}
	switch name {
	case "lose":
		t.Lost = true
	case "early":
		m := q.notice(n, q.workers+1, now, line)
		q.ready = append(q.ready, q.hand(m))
		t.Before = m.over
	case "foreign":
		strange := n
		strange.ID, strange.Resource, strange.Reference, strange.Foreign = another(n.ID), another(n.Resource), "", true
		m := q.notice(strange, q.workers+1, now, line)
		q.ready = append(q.ready, q.hand(m))
		t.Before = m.over
		q.notice(n, 1, now, nil)
	case "late":
		q.notice(n, 1, now+q.s.Limits.Visibility(), line).late = true
	case "twice":
		q.notice(n, 1, now, nil)
		q.notice(n, 1, now, line)
	case "new-id":
		q.notice(n, 1, now, nil)
		n.ID = another(n.ID)
		q.notice(n, 1, now, line)
	default:
		q.notice(n, 1, now, nil)
	}
	return t
}

// notice puts a notice in line for a worker.
func (q *Queue) notice(n harness.Notice, slot int, due time.Duration, line *harness.Fault) *Message {
	m := &Message{event: &n, worker: slot, due: due, line: line, over: make(chan struct{})}
	q.messages = append(q.messages, m)
	return m
}

// hear makes a notice ready that is due while nobody is at work; a late one comes when
// no delivery is planned any more.
func (q *Queue) hear(now time.Duration) {
	if q.Busy() || len(q.ready) > 0 {
		return
	}
	for _, m := range q.messages {
		if m.event != nil && !m.settled && !m.late && m.due <= now {
			q.ready = append(q.ready, q.hand(m))
			return
		}
	}
}

// gives notes what a hand-over brings.
func (q *Queue) gives(m *Message) {
	if m.event != nil || m.recover {
		return
	}
	for i := range m.actions {
		if id := m.actions[i].ID; !slices.Contains(q.given, id) {
			q.given = append(q.given, id)
		}
	}
}

// handedSoFar are the actions that a report of who hears of something, or takes up what
// was left, may be about: each that was handed over, under whichever ID it came.
func (q *Queue) handedSoFar() []handed {
	out := make([]handed, 0, len(q.given))
	for _, id := range q.given {
		out = append(out, handed{Action: harness.Action{ID: id}})
	}
	return out
}

// endNotice says when a notice that was not acknowledged is handed over again.
func (q *Queue) endNotice(x Ended, now time.Duration) (bound string) {
	m := x.Message
	m.due = now
	if !x.Died {
		m.due = now + q.s.Limits.Visibility()
	}
	if m.fails++; m.fails >= q.s.Limits.Deliveries {
		m.settled = true
		return "deliveries of a notice"
	}
	return ""
}

// hand is the next hand-over of a message.
func (q *Queue) hand(m *Message) *Hand {
	h := q.newHand(Hand{Message: m, Worker: m.worker, Delivery: q.ordinal + 1})
	if m.event != nil || m.recover {
		m.actions = q.handedSoFar()
	}
	if m.event == nil {
		h.How = how(q.at(h.Delivery))
		return h
	}
	h.Delivery = max(q.ordinal, 1)
	if m.line != nil {
		h.Lines, h.How, m.line = []*harness.Fault{m.line}, []string{m.line.String()}, nil
	}
	return h
}

// Notices is where notices are numbered and recorded, and where the schedule is asked;
// a tap's session is one.
type Notices interface {
	Notice(harness.Notice) (*harness.Event, *harness.Fault)
	Fired(*harness.Fault, *harness.Event)
	Add(harness.Event)
}

// Heard takes a notice of the target over, and records what becomes of it.
func (q *Queue) Heard(n harness.Notice, s Notices, now time.Duration) Telling {
	e, line := s.Notice(n)
	t := q.Tell(n, line, now)
	if t.Lost && line != nil && t.Bound == "" && q.notices <= maxNotices {
		s.Fired(line, &harness.Event{Attempt: n.Attempt, Action: e.Action, N: e.N})
	}
	if t.Bound != "" {
		s.Add(harness.Event{Kind: harness.EvBound, Delivery: 1, Note: t.Bound})
	}
	return t
}

// told is a notice as a worker reads it: what only the harness knows is left out.
func told(n harness.Notice) *worker.Event {
	return &worker.Event{ID: n.ID, Type: n.Type, ResourceID: n.Resource, BusinessKey: n.BusinessKey, Reference: n.Reference}
}
