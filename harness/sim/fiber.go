package sim

import (
	"iter"
	"sync"
	"time"
)

// fiber is a coroutine: a worker at its delivery, or a request on its way. It runs
// only while somebody resumes it, and is used again for the next work.
type fiber struct {
	resume func() (struct{}, bool)
	end    func()
	yield  func(struct{}) bool

	work func()
	// slot is the worker's number, seat its place where the fiber is a worker.
	slot int
	seat *seat
	// asked is what the fiber does for a goroutine of a life, in a bubble.
	asked *asked
	state state
	// done: the work is finished; lost: it never will be, and the fiber is left alone.
	done, lost bool
	on         wait
	woke       int
}

// state says why a fiber does not run.
type state int

const (
	fresh state = iota
	blocked
	stopped
)

// wait is what a blocked fiber waits for: any of the flags, of the channels, or the
// time until. gone is a flag that stands for a channel.
type wait struct {
	flags [2]*bool
	gone  *bool
	chans [2]<-chan struct{}
	timed bool
	until time.Duration
}

// What woke a fiber: a flag, a channel, or time. A fiber that nothing can wake any
// more is woken by the end of the trial.
const (
	byFlag0 = iota
	byFlag1
	byGone
	byChan0
	byChan1
	byTime
	byEnd
)

// ready reports what wakes the fiber now, or -1.
func (w *wait) ready(now time.Duration) int {
	for i, f := range w.flags {
		if f != nil && *f {
			return byFlag0 + i
		}
	}
	if w.gone != nil && *w.gone {
		return byGone
	}
	for i, c := range w.chans {
		if c == nil {
			continue
		}
		select {
		case <-c:
			return byChan0 + i
		default:
		}
	}
	if w.timed && now >= w.until {
		return byTime
	}
	return -1
}

func newFiber() *fiber {
	f := &fiber{}
	f.resume, f.end = iter.Pull(func(yield func(struct{}) bool) {
		f.yield = yield
		room()
		for {
			f.work()
			f.work, f.done = nil, true
			if !yield(struct{}{}) {
				return
			}
		}
	})
	return f
}

// fibers is a pool of idle ones.
type fibers struct {
	mu     sync.Mutex
	idle   []*fiber
	closed bool
}

func (p *fibers) take(work func()) *fiber {
	p.mu.Lock()
	defer p.mu.Unlock()
	var f *fiber
	if n := len(p.idle); n > 0 {
		f, p.idle = p.idle[n-1], p.idle[:n-1]
	} else {
		f = newFiber()
	}
	f.work, f.slot, f.seat, f.asked, f.state, f.done, f.on = work, 0, nil, nil, fresh, false, wait{}
	return f
}

func (p *fibers) give(f *fiber) {
	if f.lost {
		return
	}
	p.mu.Lock()
	closed := p.closed
	if !closed {
		p.idle = append(p.idle, f)
	}
	p.mu.Unlock()
	if closed {
		f.end()
	}
}

func (p *fibers) close() {
	p.mu.Lock()
	idle := p.idle
	p.idle, p.closed = nil, true
	p.mu.Unlock()
	for _, f := range idle {
		f.end()
	}
}
