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

// Hand is one hand-over that is due.
type Hand struct {
	Message *Message
	// Worker is the slot that gets it; Delivery numbers the hand-overs of the trial.
	Worker, Delivery int
	// Again counts the hand-overs of the message's trigger, as a queue would: this is
	// what the worker is told.
	Again int
	// Lines are the schedule's deliver lines that this hand-over carries out.
	Lines []*harness.Fault
	// How lists all lines of the delivery, as the history tells them.
	How []string
	// Together is how many get it at once, told with the first of them; else 0.
	Together int
	// began is when it was handed over.
	began time.Duration
}

// Has reports whether the hand-over carries out a line of this name.
func (h *Hand) Has(name string) bool { return find(h.Lines, name) != nil }

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

// newHand returns one, of an earlier trial where there is one left.
func (q *Queue) newHand(h Hand) *Hand {
	if len(q.hands) < cap(q.hands) {
		q.hands = q.hands[:len(q.hands)+1]
	} else {
		q.hands = append(q.hands, nil)
	}
	at := &q.hands[len(q.hands)-1]
	if *at == nil {
		*at = &Hand{}
	}
	**at = h
	return *at
}

// at are the deliver lines of the n-th hand-over, in the schedule's order.
func (q *Queue) at(n int) []*harness.Fault {
	var out []*harness.Fault
	for _, f := range q.lines {
		if f.Where.Counts(n) {
			out = append(out, f)
		}
	}
	return out
}

func find(lines []*harness.Fault, name string) *harness.Fault {
	for _, f := range lines {
		if f.Name == name {
			return f
		}
	}
	return nil
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

// plan makes the next planned hand-over ready if it is due.
func (q *Queue) plan(now time.Duration, happened func(harness.Where) bool) (Wait, error) {
	lines := q.at(q.ordinal + 1)
	if f := find(lines, "at"); f != nil {
		if happened(*f.Event) {
			return Wait{}, q.shape(lines, q.Busy())
		}
		if q.Busy() {
			return Wait{At: f.Event}, nil
		}
	}
	if q.Busy() {
		return Wait{}, nil
	}
	if d := q.plannedDue(lines) - now; d > 0 {
		return Wait{For: d}, nil
	}
	return Wait{}, q.shape(lines, false)
}

// plannedDue is when the next planned hand-over is due.
func (q *Queue) plannedDue(lines []*harness.Fault) time.Duration {
	if f := find(lines, "after"); f != nil {
		return q.lastEnd + f.D.In(q.s.Limits)
	}
	if q.lastAcked || q.lastDied || q.lastParked || find(lines, "brings") != nil || find(lines, "recover") != nil {
		return q.lastEnd
	}
	return q.lastEnd + q.s.Limits.Visibility()
}

// shape makes the next planned hand-over ready, as the schedule shapes it. beside:
// the one before is still at work, so another worker gets it.
func (q *Queue) shape(lines []*harness.Fault, beside bool) error {
	n := q.ordinal + 1
	m := q.last
	if f := find(lines, "brings"); f != nil {
		m = q.newMessage(f.Actions...)
	} else if m == nil {
		m = q.newMessage(q.s.Actions[0].Name)
	} else if beside {
		m = m.copyOf()
	}
	last := m
	if find(lines, "recover") != nil && q.last != nil {
		// What is handed over is nothing: the delivery itself still comes again.
		last = q.last
		m = q.last.copyOf()
		m.worker = q.last.worker
		m.actions = q.handedSoFar()
	}
	for _, f := range lines {
		if err := m.apply(q.s, f); err != nil {
			return err
		}
	}
	times := 1
	if f := find(lines, "times"); f != nil {
		times = f.N
	}
	first := 1
	if beside {
		first = q.workers + 1
	}
	if !slices.Contains(q.messages, m) {
		q.messages = append(q.messages, m)
	}
	for i := range times {
		x := m
		if i > 0 {
			x = m.copyOf()
			q.messages = append(q.messages, x)
		}
		if x.worker == 0 || beside {
			x.worker = first + i
		}
		fired := lines
		if i < times-1 {
			fired = nil
		}
		if !beside && len(fired) > 0 {
			// Without anybody at work the line's event did not come.
			fired = slices.DeleteFunc(slices.Clone(fired), func(f *harness.Fault) bool { return f.Name == "at" })
		}
		x.settled = false
		q.ready = append(q.ready, q.newHand(Hand{Message: x, Worker: x.worker, Delivery: n, Lines: fired, How: how(lines)}))
	}
	if times > 1 {
		q.ready[len(q.ready)-times].Together = times
	}
	q.last = last
	return nil
}

func how(lines []*harness.Fault) []string {
	if len(lines) == 0 {
		return nil
	}
	out := make([]string, 0, len(lines))
	for _, f := range lines {
		out = append(out, f.Line())
	}
	return out
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

// turns is how often a trigger was delivered, and in which delivery last: those that
// get one at once get the same.
type turns struct {
	trigger     string
	times, last int
}

// turn counts a delivery of the trigger.
func (q *Queue) turn(trigger string, delivery int) int {
	i := slices.IndexFunc(q.turns, func(t turns) bool { return t.trigger == trigger })
	if i < 0 {
		i = len(q.turns)
		q.turns = append(q.turns, turns{trigger: trigger})
	}
	t := &q.turns[i]
	if t.last != delivery {
		t.times, t.last = t.times+1, delivery
	}
	return t.times
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

// Ended is how one hand-over ended.
type Ended struct {
	*Hand
	Heard
	// Incarnation is the life that had it; Died: it ended by a signal.
	Incarnation int
	Died        bool
}

// Told is one of the things that there are to record of a hand-over at its end.
type Told struct {
	Kind harness.EventKind
	// Note says why, Fault which line struck.
	Note, Fault string
}

// Over lets go of an answer that waits for the end of this hand-over. It comes after
// what End returned is recorded, so that a history has the two in their order.
func (h *Hand) Over() {
	if m := h.Message; m.over != nil {
		close(m.over)
		m.over = nil
	}
}

// End settles a delivery or makes it due again. It returns what there is to record,
// which stands until the next End; Over comes after that.
func (q *Queue) End(x Ended, now time.Duration) []Told {
	m := x.Message
	q.atWork = slices.DeleteFunc(q.atWork, func(n int) bool { return n == x.Worker })
	for _, w := range q.messages {
		// A worker that waits for another goes on as soon as one has ended; one that
		// ended in waiting itself is none, or two that wait would wake each other.
		if w.waiting && w != m && !x.Waits {
			w.due, w.waiting = now, false
		}
	}
	if m.event == nil {
		q.lastEnd, q.lastAcked, q.lastDied, q.lastParked = now, x.Nack == "", x.Died, x.Parks
	}
	if x.Nack == "" && m.event == nil && len(q.ackLines) > 0 {
		if f := q.acknowledged(x); f != nil {
			return q.astray(x, f, now)
		}
	}
	if x.Nack == "" {
		m.settled = true
		q.told = append(q.told[:0], Told{Kind: harness.EvAck})
		return q.told
	}
	q.told = append(q.told[:0], Told{Kind: harness.EvNack, Note: x.Nack})
	if m.acked {
		m.settled = true
		return q.told
	}
	postpone := q.postpone
	if m.event != nil {
		postpone = q.endNotice
	}
	if bound := postpone(x, now); bound != "" {
		m.settled = true
		q.told = append(q.told, Told{Kind: harness.EvBound, Note: bound})
	}
	return q.told
}

// postpone says when a message is handed over again, and which bound was hit.
func (q *Queue) postpone(x Ended, now time.Duration) (bound string) {
	m, l := x.Message, q.s.Limits
	m.due = now + l.Visibility()
	switch {
	case x.Parks:
		// What it waits for comes with a planned hand-over, or never.
		m.settled = true
	case x.Waits:
		m.waiting = true
		if m.waits++; m.waits >= l.Waits {
			bound = "hand-overs that end in waiting"
		}
	case x.Died:
		m.fails++
		m.due = now
	default:
		m.fails++
	}
	if m.fails >= l.Deliveries {
		m.settled = true
		if !x.Review {
			bound = "deliveries"
		}
	}
	return bound
}
