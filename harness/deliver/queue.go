package deliver

import (
	"math"
	"slices"
	"time"

	"github.com/retrydrill/drill/harness"
)

// Queue decides the hand-overs of one trial. It is not safe for concurrent use.
type Queue struct {
	s *harness.Schedule
	// lines are the schedule's at deliveries, ackLines those at acknowledgements.
	lines, ackLines []*harness.Fault
	planned         int
	ordinal         int
	workers         int
	atWork          []int
	last            *Message
	// turns counts deliveries by trigger key.
	turns    []turns
	messages []*Message
	ready    []*Hand
	// notices counts what the target told by itself.
	notices int
	// given are the IDs of all actions that were handed over, each once.
	given []string
	// lastEnd is when the delivery before ended, lastAcked and lastDied how.
	lastEnd             time.Duration
	lastAcked, lastDied bool
	// lastParked: it waits for an approval, which an answer brings and time does not.
	lastParked bool

	// acks are the acknowledgements so far, where a line of the schedule asks for them.
	acks []ack
	// expired are the hand-overs that ran out while they were at work.
	expired []*Message
	// made and hands are all messages and hand-overs of the trial, and of trials before.
	made    []*Message
	hands   []*Hand
	digests digests
	told    []Told
}

// Wait says what a queue without anything due waits for, beside the end of what is
// at work.
type Wait struct {
	// For is how long until the next hand-over is due; 0 is nothing.
	For time.Duration
	// At is the event at which the next planned one is due, or nil.
	At *harness.Where
}

// NewQueue returns the queue of a schedule.
func NewQueue(s *harness.Schedule) *Queue {
	q := &Queue{}
	q.Reset(s, s.Faults, false)
	return q
}

// longAgo is when the delivery before the first one ended.
const longAgo = math.MinInt64 / 2

// Reset makes it the queue of another schedule, whose lines may be there with their
// texts. Of the trial before nothing may be at work any more: its messages and hand-overs
// are used again. lends: nobody holds anything either that workers were handed then, and
// they are handed the same again.
func (q *Queue) Reset(s *harness.Schedule, lines []harness.Fault, lends bool) {
	q.s, q.planned, q.ordinal, q.workers, q.notices = s, s.Deliveries(), 0, 0, 0
	q.last, q.lastEnd, q.lastAcked, q.lastDied, q.lastParked = nil, longAgo, false, false, false
	q.lines, q.ackLines = q.lines[:0], q.ackLines[:0]
	for i := range lines {
		switch f := &lines[i]; f.Where.Point {
		case harness.Deliver:
			q.lines = append(q.lines, f)
		case harness.Ack:
			q.ackLines = append(q.ackLines, f)
		}
	}
	q.atWork, q.turns, q.messages, q.ready, q.given = q.atWork[:0], q.turns[:0], q.messages[:0], q.ready[:0], q.given[:0]
	q.expired, q.acks, q.told = q.expired[:0], q.acks[:0], q.told[:0]
	q.made, q.hands = q.made[:0], q.hands[:0]
	q.digests.begin(lends)
}

// Busy reports whether a hand-over is at work.
func (q *Queue) Busy() bool { return len(q.atWork) > 0 }

// Done reports whether every delivery is settled.
func (q *Queue) Done() bool {
	if q.Busy() || len(q.ready) > 0 || len(q.expired) > 0 || q.ordinal < q.planned {
		return false
	}
	return !slices.ContainsFunc(q.messages, func(m *Message) bool { return !m.settled })
}

// Next returns a hand-over that is due, which is at work from then on, or what to
// wait for. happened tells whether an event has come about.
func (q *Queue) Next(now time.Duration, happened func(harness.Where) bool) (*Hand, Wait, error) {
	q.hear(now)
	if err := q.takeOver(); err != nil {
		return nil, Wait{}, err
	}
	if len(q.ready) == 0 && q.ordinal < q.planned {
		wait, err := q.plan(now, happened)
		if err != nil || len(q.ready) == 0 {
			return nil, wait, err
		}
	}
	if len(q.ready) > 0 {
		h := q.ready[0]
		q.ready = slices.Delete(q.ready, 0, 1)
		q.start(h, now)
		return h, Wait{}, nil
	}
	return q.again(now)
}

// again hands a message over once more, if one is due.
func (q *Queue) again(now time.Duration) (*Hand, Wait, error) {
	var wait Wait
	for _, m := range q.messages {
		if m.settled || slices.Contains(q.atWork, m.worker) {
			continue
		}
		if m.waiting && !q.Busy() {
			m.waiting = false
		}
		d := m.due - now
		if d <= 0 {
			h := q.hand(m)
			q.start(h, now)
			return h, Wait{}, nil
		}
		if wait.For == 0 || d < wait.For {
			wait.For = d
		}
	}
	return nil, wait, nil
}

func (q *Queue) start(h *Hand, now time.Duration) {
	h.began = now
	if m := h.Message; m.event != nil {
		m.hands++
		h.Again = m.hands
	} else {
		h.Again = q.turn(m.trigger, h.Delivery)
	}
	q.gives(h.Message)
	q.ordinal = max(q.ordinal, h.Delivery)
	q.workers = max(q.workers, h.Worker)
	q.atWork = append(q.atWork, h.Worker)
	h.Message.due = 0
}
