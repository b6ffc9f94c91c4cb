package sim

import (
	"cmp"
	"errors"
	"slices"
	"sync"
	"time"
)

// Bubble has workers run as goroutines of their own, under the clock and the scheduler
// of a testing/synctest bubble, a fresh one for each trial. Whatever a worker asks of
// its handles is done by the engine, one at a time, once every other goroutine waits;
// between that the worker's code runs freely.
//
// The engine itself stays outside, where its coroutines and their stacks serve one
// trial after the other. While it works, the bubble's main goroutine waits for it, so
// that the bubble's time stands still. What belongs to a bubble, such as a channel made
// in it, only its goroutines may touch: that the engine has them do, see [bubble.cross].
type Bubble struct {
	// Open has main run in a new bubble, and returns at once. over is told once that
	// nothing is in the bubble any more, or why that will not come.
	Open func(main func(), over func(error))
	// Settle returns once every other goroutine of the bubble waits durably.
	Settle func()
	// Dir makes an empty directory for a worker's files. Left gets it back: it counts
	// the files, and says whether one holds a text that leaks.
	Dir  func() (string, error)
	Left func(dir string, leaks func(string) bool) (files int, leaky bool, err error)
}

// bubble is what a trial has more in a bubble. The next trial has the same, in another.
type bubble struct {
	*Bubble
	t *trial
	// orders go into the bubble, one at a time, and each has one word come out of it.
	orders chan func()
	words  chan word
	// The orders: to go on, to let time pass, to close what a life holds, to end; and
	// who is told of the end.
	main, turn, pause, shut, end func()
	ended                        func(error)
	// broken is why the bubble does not answer any more.
	broken error

	// deeds, wake and start are what the bubble's next turn begins with.
	deeds []func()
	wake  *asked
	start *bubbled
	// until bounds a pause, and burying are those to be closed.
	until   time.Duration
	burying []*bubbled
	// settled: every goroutine waits, and nothing happened since that ends that.
	settled bool
	// shown is how long the trial takes, on the bubble's clock.
	shown time.Duration

	// mu guards the trial: the engine has it but while it waits, and a handle while it
	// does what can be done at once.
	mu sync.Mutex
	// calls are those that came since the engine looked; bell tells it to look.
	calls []*asked
	bell  chan struct{}
	// idle are calls that are over, to be used again.
	idle []*asked
	// over is closed at the end of the trial: what a dead life left hanging ends. done
	// ends the main goroutine.
	over chan struct{}
	done bool
	// lives are all that began, and links their connections' ends at the target.
	lives []*life
	links []*wireless
}

// word is what comes out of a bubble: that an order is carried out, or that it is over.
type word struct {
	over bool
	err  error
}

var errBroken = errors.New("the bubble ended before its trial")

// newBubble returns the room for the bubbles of a trial, one after the other.
func newBubble(t *trial, o *Bubble) *bubble {
	b := &bubble{Bubble: o, t: t, orders: make(chan func(), 1), words: make(chan word, 2)}
	b.main, b.turn, b.pause, b.shut, b.end, b.ended = b.obey, b.goOn, b.wait, b.shuts, b.ends, b.tell
	return b
}

// enter opens a bubble, in which time begins at [Start].
func (b *bubble) enter() {
	b.broken, b.settled, b.shown, b.done = nil, false, 0, false
	b.Open(b.main, b.ended)
	b.mu.Lock()
}

// leave lets go what the bubble had, when nothing is in it any more.
func (b *bubble) leave() {
	b.mu.Unlock()
	clear(b.lives)
	clear(b.links)
	b.lives, b.links, b.idle, b.bell, b.over = b.lives[:0], b.links[:0], nil, nil, nil
}

// obey is the bubble's main goroutine.
func (b *bubble) obey() {
	b.bell, b.over = make(chan struct{}, 1), make(chan struct{})
	b.shown = time.Since(Start)
	for {
		order := <-b.orders
		order()
		if b.done {
			// The end of the bubble is the answer.
			return
		}
		b.words <- word{}
	}
}

// tell is told of the end of the bubble.
func (b *bubble) tell(err error) {
	select {
	case b.words <- word{over: true, err: err}:
	default:
	}
}

// cross has the bubble carry out an order, and waits for that.
func (b *bubble) cross(order func()) word {
	if b.broken != nil {
		return word{err: b.broken}
	}
	b.mu.Unlock()
	b.orders <- order
	w := <-b.words
	b.mu.Lock()
	if w.over {
		b.broken = cmp.Or(w.err, errBroken)
	}
	return w
}

// inside has something done in the bubble at once, while everything else waits.
func (b *bubble) inside(f func()) {
	b.cross(f)
	b.settled = false
}

// later has something done in the bubble when it goes on.
func (b *bubble) later(f func()) { b.deeds, b.settled = append(b.deeds, f), false }

// goOn lets the bubble go on until every goroutine waits.
func (b *bubble) goOn() {
	b.begin()
	if c := b.wake; c != nil {
		b.wake = nil
		c.told <- struct{}{}
	}
	if in := b.start; in != nil {
		b.start = nil
		in.begin()
	}
	b.settle()
}

// begin lets the bubble's time come to where the trial's is: an event takes an instant.
// It is done before the executor's code goes on, so that nothing happened later than
// its clock shows, and no two wait for one instant. Then what was left for later is done.
func (b *bubble) begin() {
	if ahead := b.t.now - b.shown; ahead > 0 {
		time.Sleep(ahead)
	}
	for i, f := range b.deeds {
		b.deeds[i] = nil
		f()
	}
	b.deeds = b.deeds[:0]
}

// settle waits until every goroutine waits. Whoever rang meanwhile is heard by that.
func (b *bubble) settle() {
	b.Settle()
	b.shown, b.settled = time.Since(Start), true
	select {
	case <-b.bell:
	default:
	}
}

// wait lets time go on until somebody rings, or the pause is over. What was left for
// later may have made somebody ask.
func (b *bubble) wait() {
	if !b.settled {
		b.begin()
		b.settle()
		if len(b.calls) > 0 {
			return
		}
	}
	timer := time.NewTimer(b.until - b.shown)
	select {
	case <-b.bell:
	case <-timer.C:
	}
	timer.Stop()
	b.settle()
}

// ring has the engine look.
func (b *bubble) ring() {
	select {
	case b.bell <- struct{}{}:
	default:
	}
}

// gather waits until every goroutine waits, and takes in what they ask for. It fails
// where the bubble is broken.
func (b *bubble) gather() error {
	t := b.t
	if !b.settled && !b.rests() {
		b.cross(b.turn)
	}
	if b.broken != nil {
		return b.broken
	}
	t.now = max(t.now, b.shown)
	slices.SortStableFunc(b.calls, func(x, y *asked) int { return cmp.Compare(x.life.seat.number, y.life.seat.number) })
	for i, c := range b.calls {
		f := t.pool.take(c.work)
		f.slot, f.asked = c.life.seat.number, c
		if c.ends {
			f.seat = c.life.seat
		}
		t.add(f)
		b.calls[i] = nil
	}
	b.calls = b.calls[:0]
	b.detach()
	return nil
}

// rests reports whether there is nothing to do but to wait for quiet, and in it what
// was left for later.
func (b *bubble) rests() bool {
	t := b.t
	return b.wake == nil && b.start == nil && len(t.alive) == 0 && t.queue.Done() && t.pending() == 0
}

// detach ends the deliveries of lives that died while their goroutine waited for
// something of its own: that goes on waiting, and nobody for it.
func (b *bubble) detach() {
	for _, s := range b.t.seats {
		if s.hand != nil && s.life.dead && !slices.ContainsFunc(b.t.alive, func(f *fiber) bool { return f.asked != nil && f.asked.life == s.life }) {
			b.t.ended(s)
		}
	}
}

// pass lets time go on until then, or until somebody asks for something.
func (b *bubble) pass(until time.Duration) {
	t := b.t
	b.until = until
	b.cross(b.pause)
	t.now, t.moved = max(t.now, b.shown), t.moved+1
}

// quiet reports whether nobody asks for anything for as long as the limits say.
func (b *bubble) quiet() bool {
	b.pass(b.t.now + b.t.s.Limits.Quiet.D())
	return len(b.calls) == 0
}
