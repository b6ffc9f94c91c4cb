package deliver

import (
	"slices"
	"time"

	"github.com/retrydrill/drill/harness"
)

// AtDelivery are the lines that shape a planned hand-over; a world lets the worker come up,
// and find its target, as they say.
var AtDelivery = []string{"deliver times", "deliver at", "deliver after", "deliver brings", "deliver change", "deliver respell", "deliver equivalent",
	"deliver new-trigger", "deliver new-action", "deliver approval", "deliver re-approve", "deliver answer", "deliver down",
	"deliver elsewhere", "deliver recover"}

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
	m, last := q.next(lines, beside)
	for _, f := range lines {
		if err := m.apply(q.s, f); err != nil {
			return err
		}
	}
	if !slices.Contains(q.messages, m) {
		q.messages = append(q.messages, m)
	}
	times := 1
	if f := find(lines, "times"); f != nil {
		times = f.N
	}
	for i := range times {
		q.share(m, i, times, lines, beside)
	}
	if times > 1 {
		at := q.ready[len(q.ready)-times:]
		for _, h := range at {
			at[0].Together = append(at[0].Together, h.Worker)
		}
	}
	q.last = last
	return nil
}

// next is the message that is handed over next, and the one that counts as the last then.
func (q *Queue) next(lines []*harness.Fault, beside bool) (m, last *Message) {
	m = q.last
	if f := find(lines, "brings"); f != nil {
		m = q.newMessage(f.Actions...)
	} else if m == nil {
		m = q.newMessage(q.s.Actions[0].Name)
	} else if beside {
		m = m.copyOf()
	}
	if q.last == nil || find(lines, "recover") == nil {
		return m, m
	}
	// What is handed over is nothing: the delivery itself still comes again.
	m = q.last.copyOf()
	m.worker = q.last.worker
	m.actions = q.handedSoFar()
	return m, q.last
}

// other is the first worker that gets none of these.
func other(hands []*Hand) int {
	n := 1
	for slices.ContainsFunc(hands, func(h *Hand) bool { return h.Worker == n }) {
		n++
	}
	return n
}

// share makes the i-th of those ready that get a message at once. Its lines are carried
// out by the last of them.
func (q *Queue) share(m *Message, i, times int, lines []*harness.Fault, beside bool) {
	if i > 0 {
		m = m.copyOf()
		q.messages = append(q.messages, m)
	}
	switch {
	case beside:
		m.worker = q.workers + 1 + i
	case m.worker == 0:
		m.worker = other(q.ready[len(q.ready)-i:])
	}
	fired := lines
	if i < times-1 {
		fired = nil
	}
	if !beside && len(fired) > 0 {
		// Without anybody at work the line's event did not come.
		fired = slices.DeleteFunc(slices.Clone(fired), func(f *harness.Fault) bool { return f.Name == "at" })
	}
	m.settled = false
	q.ready = append(q.ready, q.newHand(Hand{Message: m, Worker: m.worker, Delivery: q.ordinal + 1, Lines: fired, How: how(lines)}))
}
