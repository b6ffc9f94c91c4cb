package deliver

import (
	"time"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/worker"
)

// AtEvent are the faults that [Queue.Tell] carries out.
var AtEvent = []string{"event early", "event late", "event lose", "event twice", "event new-id", "event foreign"}

// Tells reports whether the schedule has workers hear of what the target tells by
// itself.
func Tells(s *harness.Schedule) bool {
	for _, f := range s.Faults {
		if f.Where.Point == harness.AtEvent {
			return true
		}
	}
	return false
}

// Telling is what becomes of one notice.
type Telling struct {
	// Line is the schedule's line that strikes it, or nil.
	Line *harness.Fault
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

// Tell takes a notice of the target and hands it over as the schedule wants: to the
// worker that is at work, once that is done; early and foreign ones to another worker
// at once. A hand-over of a notice is numbered like any other.
func (q *Queue) Tell(n harness.Notice, now time.Time) Telling {
	q.notices++
	if q.notices > maxNotices {
		t := Telling{Lost: true}
		if q.notices == maxNotices+1 {
			t.Bound = "notices of the target"
		}
		return t
	}
	var t Telling
	for i := range q.s.Faults {
		f := &q.s.Faults[i]
		if f.Where.Point == harness.AtEvent && f.Where.Counts(q.notices) {
			t.Line = f
			break
		}
	}
	name := ""
	if t.Line != nil {
		name = t.Line.Name
	}
	switch name {
	case "lose":
		t.Lost = true
	case "early":
		m := q.notice(n, q.workers+1, now, t.Line)
		q.ready = append(q.ready, q.hand(m))
		t.Before = m.over
	case "foreign":
		strange := n
		strange.ID, strange.Resource, strange.Reference, strange.Foreign = another(n.ID), another(n.Resource), "", true
		m := q.notice(strange, q.workers+1, now, t.Line)
		q.ready = append(q.ready, q.hand(m))
		t.Before = m.over
		q.notice(n, 1, now, nil)
	case "late":
		q.notice(n, 1, now.Add(q.s.Limits.Visibility()), t.Line)
	case "twice":
		q.notice(n, 1, now, nil)
		q.notice(n, 1, now, t.Line)
	case "new-id":
		q.notice(n, 1, now, nil)
		n.ID = another(n.ID)
		q.notice(n, 1, now, t.Line)
	default:
		q.notice(n, 1, now, nil)
	}
	return t
}

// notice puts a notice in line for a worker.
func (q *Queue) notice(n harness.Notice, slot int, due time.Time, line *harness.Fault) *Message {
	m := &Message{event: &n, worker: slot, due: due, line: line, over: make(chan struct{})}
	if q.last != nil {
		// A report may speak of what was handed over before.
		m.actions = q.last.copyOf().actions
	}
	q.messages = append(q.messages, m)
	return m
}

// hand is the next hand-over of a message.
func (q *Queue) hand(m *Message) *Hand {
	h := &Hand{Message: m, Worker: m.worker, Delivery: q.ordinal + 1}
	if m.event == nil {
		h.How = how(Lines(q.s, h.Delivery))
		return h
	}
	if m.line != nil {
		h.Lines, h.How, m.line = []harness.Fault{*m.line}, []string{m.line.String()}, nil
	}
	return h
}

// Record is what there is to record of a notice and of what became of it.
func (t Telling) Record(n harness.Notice, session interface {
	Notice(harness.Event)
	Fired(harness.Fault, harness.Event)
	Add(harness.Event) int
}) {
	session.Notice(harness.Event{Kind: harness.EvNotice, Notice: &n, Attempt: n.Attempt})
	if t.Lost && t.Line != nil {
		session.Fired(*t.Line, harness.Event{Attempt: n.Attempt})
	}
	if t.Bound != "" {
		session.Add(harness.Event{Kind: harness.EvBound, Delivery: 1, Note: t.Bound})
	}
}

// told is a notice as a worker reads it: what only the harness knows is left out.
func told(n harness.Notice) *worker.Event {
	return &worker.Event{ID: n.ID, Type: n.Type, ResourceID: n.Resource, BusinessKey: n.BusinessKey, Reference: n.Reference}
}
