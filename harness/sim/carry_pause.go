package sim

import (
	"time"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/tap"
)

// carryPause has the worker stand still with its answer in flight: it is there when the
// worker goes on.
func carryPause(t *trial, x *tap.Exchange, f *harness.Fault) bool {
	s, l := t.atWork(x)
	if l == nil || l.stopped {
		return true
	}
	l.standStill()
	e := x.Event
	t.beside(s, func() {
		t.takenOver(s, l, t.now+f.D.In(t.s.Limits))
		if !l.dead {
			l.goOn()
			t.session.Fired(f, e)
		}
	})
	return true
}

// takenOver returns at that time, and once whoever took over is done, where the hand-over
// ran out meanwhile; sooner where the life has ended.
func (t *trial) takenOver(s *seat, l *life, until time.Duration) {
	if t.block(wait{flags: [2]*bool{&l.dead}, timed: true, until: until}) != byTime {
		return
	}
	if over := t.queue.Expire(s.hand, t.now); over != nil {
		t.block(wait{flags: [2]*bool{&l.dead}, chans: [2]<-chan struct{}{over}})
	}
}

// beside has something go on by itself that concerns a worker.
func (t *trial) beside(s *seat, work func()) {
	f := t.pool.take(work)
	f.slot = s.number
	t.add(f)
}

// standStill lets nothing of a life go on.
func (l *life) standStill() { l.stopped = true }

// goOn ends that.
func (l *life) goOn() {
	if !l.stopped {
		return
	}
	l.stopped = false
	if l.in != nil {
		l.in.wake()
	}
}

// stopped reports whether the worker stands still.
func (s *seat) stopped() bool { return s.life != nil && s.life.stopped }

// standsStill reports whether the fiber is a worker that does.
func (f *fiber) standsStill() bool {
	return f.seat != nil && f.seat.stopped() || f.asked != nil && f.asked.life.stopped
}
