package deliver

import (
	"fmt"
	"slices"
	"time"

	"github.com/retrydrill/drill/harness"
)

// Message is one trigger on its way to a worker, with what the schedule made of it.
type Message struct {
	trigger string
	actions []handed
	answer  any
	recover bool
	// known are the digests of what was handed over so far.
	known *digests
	// event is a notice of the target; line is the fault that its next hand-over
	// carries out, and over is closed at the end of its first.
	event *harness.Notice
	line  *harness.Fault
	over  chan struct{}
	// late: no delivery is to come before it; hands counts its hand-overs.
	late  bool
	hands int

	// worker is the slot that has it, 0 while none does.
	worker       int
	fails, waits int
	settled      bool
	// acked: an acknowledgement of it is on its way, and settles it by the next end.
	acked bool
	// due is when it is handed over again; waiting: it ended in waiting for another.
	due     time.Duration
	waiting bool
}

func (q *Queue) newMessage(names ...string) *Message {
	m := q.message()
	for _, n := range names {
		m.actions = append(m.actions, handed{})
		a := &m.actions[len(m.actions)-1]
		if of := q.s.Named(n); of != nil {
			a.Action, a.covered = *of, of.Approval.Status == harness.Granted
		}
		if m.trigger == "" {
			m.trigger = a.TriggerKey
		}
	}
	return m
}

// message returns an empty one, of an earlier trial where there is one left.
func (q *Queue) message() *Message {
	if len(q.made) < cap(q.made) {
		q.made = q.made[:len(q.made)+1]
	} else {
		q.made = append(q.made, nil)
	}
	m := q.made[len(q.made)-1]
	if m == nil {
		m = &Message{}
		q.made[len(q.made)-1] = m
	}
	*m = Message{actions: m.actions[:0], known: &q.digests}
	return m
}

// copyOf is the same message on its way to another worker.
func (m *Message) copyOf() *Message {
	c := *m
	c.actions = slices.Clone(m.actions)
	c.worker, c.fails, c.waits, c.settled = 0, 0, 0, false
	c.due, c.waiting, c.over = 0, false, nil
	return &c
}

// apply lets one deliver line shape the message.
func (m *Message) apply(s *harness.Schedule, f *harness.Fault) error {
	switch f.Name {
	case "new-trigger":
		m.trigger += "-again"
		return nil
	case "answer":
		m.answer = f.Word
	case "recover":
		m.recover = true
	}
	if m.recover {
		// It is handed nothing that could be said otherwise.
		return nil
	}
	for i := range m.actions {
		a := &m.actions[i]
		if f.Where.Action != "" && f.Where.Action != a.Name {
			continue
		}
		if err := a.apply(s, f); err != nil {
			return fmt.Errorf("fault %q: %w", f, err)
		}
	}
	return nil
}

// Brings is how many actions a worker is handed.
func (m *Message) Brings() int {
	if m.event != nil || m.recover {
		return 0
	}
	return len(m.actions)
}
