package sim

import (
	"cmp"
	"slices"
	"time"
)

// engine lets one fiber go at a time, and moves time when none can.
type engine struct {
	pool *fibers
	now  time.Duration
	// moved counts how often time moved because nobody could go on.
	moved int
	// alive are the workers at work and the requests that go on by themselves.
	alive []*fiber
	// running is the fiber that runs now, nil in the engine itself.
	running *fiber
	// last is the slot that the engine let go last.
	last int
	// watched: somebody in the engine waits for an event, so that all have to stop.
	watched bool
	// straight: an exchange is carried where its worker is, and nothing may wait.
	straight bool
	// ending: nothing wakes a blocked fiber any more, and all are let go.
	ending bool
}

// enter resumes a fiber until it stops or is done.
func (g *engine) enter(f *fiber) {
	outer := g.running
	g.running = f
	f.resume()
	g.running = outer
}

// block stops the running fiber until what it waits for has come, and says which.
func (g *engine) block(w wait) int {
	if i := w.ready(g.now); i >= 0 {
		return i
	}
	if g.straight {
		panic(errWaits)
	}
	f := g.running
	f.on, f.state = w, blocked
	f.yield(struct{}{})
	return f.woke
}

// stop is a boundary: the running fiber lets others go first, if there are any.
func (g *engine) stop() {
	if len(g.alive) < 2 && !g.watched {
		return
	}
	f := g.running
	f.state = stopped
	f.yield(struct{}{})
}

// add lets the engine resume a fiber from now on.
func (g *engine) add(f *fiber) { g.alive = append(g.alive, f) }

// next returns the fiber that goes on now, or nil where none can. A worker that was
// just handed something goes first, then who was waiting for what has come, so that
// both happen at the very event that the schedule names; then who was stopped, first
// the slot that went last. Among alike the lower slot goes first, and a request before
// its worker.
func (g *engine) next() *fiber {
	var best *fiber
	rank := 0
	for _, f := range g.alive {
		r := g.rank(f)
		if r == 0 {
			continue
		}
		if best == nil || r < rank || r == rank && before(f, best) {
			best, rank = f, r
		}
	}
	return best
}

// rank orders the fibers that can go on, from 1; 0 is one that can not.
func (g *engine) rank(f *fiber) int {
	if f.standsStill() {
		return 0
	}
	switch f.state {
	case fresh:
		return 1
	case blocked:
		f.woke = f.on.ready(g.now)
		if f.woke < 0 && g.ending {
			f.woke = byEnd
		}
		if f.woke < 0 {
			return 0
		}
		if f.woke != byFlag1 {
			return 2
		}
		// Its own request has come to its end, which is no event of the schedule's.
	}
	if f.slot == g.last {
		return 3
	}
	return 4
}

func before(f, other *fiber) bool {
	return cmp.Or(cmp.Compare(f.slot, other.slot), cmp.Compare(order(f), order(other))) < 0
}

func order(f *fiber) int {
	if f.seat != nil || f.asked != nil {
		return 1
	}
	return 0
}

// step lets one fiber go on until it stops. A finished one is returned.
func (g *engine) step(f *fiber) (finished bool) {
	g.last = f.slot
	g.enter(f)
	if !f.done {
		return false
	}
	i := slices.Index(g.alive, f)
	g.alive = slices.Delete(g.alive, i, i+1)
	return true
}

// wakeAt is when the first blocked fiber is woken by time.
func (g *engine) wakeAt() (at time.Duration, ok bool) {
	for _, f := range g.alive {
		if f.state == blocked && f.on.timed && !f.standsStill() && (!ok || f.on.until < at) {
			at, ok = f.on.until, true
		}
	}
	return at, ok
}
