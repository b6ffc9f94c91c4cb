package deliver

import (
	"slices"
	"time"
)

// Expire lets a hand-over run out that is at work: where what it brought was hidden for
// as long as a queue hides it, another worker gets that, too. It is the next planned
// hand-over, where one is planned. Over is closed once that one has ended; it is nil
// where there is none: nobody is at it any more, it was handed over too short a time ago,
// or the schedule itself says who comes beside.
func (q *Queue) Expire(h *Hand, now time.Duration) (over <-chan struct{}) {
	if h == nil || h.ended || !slices.Contains(q.atWork, h.Worker) || now-h.began < q.s.Limits.Visibility() ||
		find(q.at(q.ordinal+1), "at") != nil {
		return nil
	}
	c := h.Message.copyOf()
	c.over = make(chan struct{})
	q.expired = append(q.expired, c)
	return c.over
}

// takeOver makes what ran out ready for another worker.
func (q *Queue) takeOver() error {
	for len(q.expired) > 0 && len(q.ready) == 0 {
		c := q.expired[0]
		q.expired = slices.Delete(q.expired, 0, 1)
		if q.ordinal >= q.planned {
			c.worker = q.workers + 1
			q.messages = append(q.messages, c)
			q.ready = append(q.ready, q.hand(c))
			continue
		}
		// The hand-over that comes is the one whose end is told, not one after it.
		over := c.over
		q.last, c.over = c, nil
		if err := q.shape(q.at(q.ordinal+1), true); err != nil {
			return err
		}
		q.ready[0].Message.over = over
	}
	return nil
}
