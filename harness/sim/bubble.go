package sim

import (
	"cmp"
	"context"
	"errors"
	"os"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/worker"
)

// Bubble has workers run as goroutines of their own, under the clock and the scheduler
// of a testing/synctest bubble: [World.Run] is then called inside of one. Whatever a
// worker asks of its handles is done by the engine, one at a time, once every other
// goroutine waits; between that the worker's code runs freely.
type Bubble struct {
	// Settle returns once every other goroutine of the bubble waits durably.
	Settle func()
	// Dir makes an empty directory for a worker's files. Left gets it back: it counts
	// the files, and says whether one holds a text that leaks.
	Dir  func() (string, error)
	Left func(dir string, leaks func(string) bool) (files int, leaky bool, err error)
}

// ErrGoexit is what a delivery ends with whose goroutine called runtime.Goexit, as
// t.FailNow does.
var ErrGoexit = errors.New("the executor ended its goroutine (runtime.Goexit, as t.FailNow and t.Skip call it)")

// bubble is what a trial has more in a bubble.
type bubble struct {
	*Bubble
	t *trial
	// mu guards the trial: the engine has it but while it waits, and a handle while it
	// does what can be done at once.
	mu sync.Mutex
	// calls are those that came since the engine looked; bell tells it to look.
	calls []*asked
	bell  chan struct{}
	// idle are calls that are over, to be used again.
	idle []*asked
	// over is closed at the end of the trial: what a dead life left hanging ends.
	over chan struct{}
	// start is what the clock showed at the beginning.
	start time.Time
	// lives are all that began, and links their connections' ends at the target.
	lives []*life
	links []*wireless
}

// bubbled is what a life has more in a bubble.
type bubbled struct {
	runner worker.InProcess
	// links are those that clients of its own opened.
	links []*wireless
	// buried: what it held is closed.
	buried bool
	// goesOn is closed once it does not stand still any more; nil while it does not.
	goesOn chan struct{}
}

// asked is what a goroutine of a life asks of the engine.
type asked struct {
	life *life
	work func()
	// what is that unless the life has ended.
	what func()
	// told gets word once it is done; nil where nobody waits.
	told chan struct{}
	// ends: it is the end of the life's delivery.
	ends bool
}

// enterBubble begins a trial's time at [Start], or later where a bubble has had others.
func (t *trial) enterBubble(o *Bubble) {
	t.bubble = &bubble{Bubble: o, t: t, bell: make(chan struct{}, 1), over: make(chan struct{})}
	t.pool = &fibers{}
	time.Sleep(time.Until(Start))
	t.bubble.start = time.Now()
	t.bubble.mu.Lock()
}

// elapsed is how long the trial takes, on the bubble's clock.
func (b *bubble) elapsed() time.Duration { return time.Since(b.start) }

// outside runs f while the trial is not the engine's alone.
func (b *bubble) outside(f func()) {
	b.mu.Unlock()
	f()
	b.mu.Lock()
}

// gather waits until every goroutine waits, and takes in what they ask for.
func (b *bubble) gather() {
	t := b.t
	b.outside(b.Settle)
	t.now = max(t.now, b.elapsed())
	calls := b.calls
	b.calls = nil
	slices.SortStableFunc(calls, func(x, y *asked) int { return cmp.Compare(x.life.seat.number, y.life.seat.number) })
	for _, c := range calls {
		f := t.pool.take(c.work)
		f.slot, f.asked = c.life.seat.number, c
		if c.ends {
			f.seat = c.life.seat
		}
		t.add(f)
	}
	b.detach()
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

// catchUp lets the bubble's time come to where the trial's is: an event takes an
// instant. It is called before the executor's code goes on, so that nothing happened
// later than its clock shows, and no two wait for one instant.
func (b *bubble) catchUp() {
	if ahead := b.t.now - b.elapsed(); ahead > 0 {
		b.outside(func() { time.Sleep(ahead) })
	}
}

// pass lets time go on until then, or until somebody asks for something.
func (b *bubble) pass(until time.Duration) bool {
	t := b.t
	timer := time.NewTimer(until - b.elapsed())
	defer timer.Stop()
	b.outside(func() {
		select {
		case <-b.bell:
		case <-timer.C:
		}
	})
	t.now, t.moved = max(t.now, b.elapsed()), t.moved+1
	return true
}

// quiet reports whether nobody asks for anything for as long as the limits say.
func (b *bubble) quiet() bool {
	b.pass(b.t.now + b.t.s.Limits.Quiet.D())
	return len(b.calls) == 0
}

// ring has the engine look.
func (b *bubble) ring() {
	select {
	case b.bell <- struct{}{}:
	default:
	}
}

// ask has the engine do the work, and returns when it is done. The end of ctx has the
// engine look whether the work goes on. A life that has ended is not returned to.
func (b *bubble) ask(ctx context.Context, l *life, work func()) { b.converse(ctx, l, work, nil, nil) }

// converse is ask for work that asks back.
func (b *bubble) converse(ctx context.Context, l *life, work func(), orders <-chan worker.RecordOrder, carryOut func(worker.RecordOrder)) {
	var c *asked
	b.guard(l, func() {
		c = b.call(l, work)
		b.calls = append(b.calls, c)
	})
	b.ring()
	for gone, told := ctx.Done(), false; !told; {
		select {
		case <-c.told:
			told = true
		case o := <-orders:
			carryOut(o)
		case <-gone:
			gone = nil
			b.ring()
		}
	}
	b.guard(l, func() { b.idle = append(b.idle, c) })
}

// call returns one for a piece of work. It is done unless the life has ended before.
func (b *bubble) call(l *life, work func()) *asked {
	var c *asked
	if n := len(b.idle); n > 0 {
		c, b.idle = b.idle[n-1], b.idle[:n-1]
	} else {
		c = &asked{told: make(chan struct{}, 1)}
		c.work = func() {
			if !c.life.dead {
				c.what()
			}
		}
	}
	c.life, c.what = l, work
	return c
}

// guard has f done at once, unless the life has ended, which is not returned to. One that
// stands still comes to it when it goes on.
func (b *bubble) guard(l *life, f func()) {
	for {
		b.mu.Lock()
		dead, goesOn := l.dead, l.in.goesOn
		if !dead && goesOn == nil {
			f()
		}
		b.mu.Unlock()
		switch {
		case dead:
			b.freeze()
		case goesOn == nil:
			return
		}
		<-goesOn
	}
}

// freeze does not return, as a killed process does not. The goroutine that drill
// itself started for a life ends here, deferred calls and all, so that what it holds
// is let go. Any other one waits for the end of the trial: whoever waits for it would
// take its end for an answer.
func (b *bubble) freeze() {
	if !mine() {
		<-b.over
	}
	runtime.Goexit()
}

// mine reports whether the goroutine is one that [spawn] began.
func mine() bool {
	var pcs [64]uintptr
	for skip := 2; ; skip += len(pcs) {
		n := runtime.Callers(skip, pcs[:])
		frames := runtime.CallersFrames(pcs[:n])
		for n > 0 {
			f, more := frames.Next()
			if f.Func != nil && f.Func.Entry() == spawned {
				return true
			}
			if !more {
				break
			}
		}
		if n < len(pcs) {
			return false
		}
	}
}

// zero is what a trial's clock shows at its beginning.
func (t *trial) zero() time.Time {
	if t.bubble != nil {
		return t.bubble.start
	}
	return Start
}

// starts is how a delivery begins. It is over when its goroutine is, or when its life
// has died and nothing of it is at the engine.
func (b *bubble) starts(s *seat) func() {
	b.catchUp()
	l, ctx, job, again := s.life, s.ctx, s.job, s.hand.Again
	return func() {
		b.begin(l, func() worker.End {
			return l.in.runner.Deliver(ctx, worker.Handover{Env: l.env, Job: &job, Delivery: again}, worker.Listener{Report: l.report})
		})
	}
}

// report takes a report from the executor.
func (l *life) report(r harness.Report) {
	l.t.bubble.ask(context.Background(), l, func() { l.seat.report(r) })
}

func (b *bubble) begin(l *life, deliver func() worker.End) {
	go spawn(func() {
		end := worker.End{Note: "goexit", Err: ErrGoexit}
		defer func() {
			b.mu.Lock()
			if !l.in.buried {
				b.calls = append(b.calls, &asked{life: l, ends: true, work: func() { l.seat.end = end }})
			}
			b.mu.Unlock()
			b.ring()
		}()
		end = deliver()
	})
}

// bury closes what a life holds. It waits for that, as long as a delivery may take.
func (b *bubble) bury(l *life) error {
	if l.in.buried {
		return nil
	}
	l.in.buried, l.dead = true, true
	var err error
	closed := make(chan struct{})
	go spawn(func() {
		defer close(closed)
		err = l.in.runner.Close()
	})
	late := time.NewTimer(b.t.s.Limits.Delivery.D())
	defer late.Stop()
	b.outside(func() {
		select {
		case <-closed:
		case <-late.C:
		}
	})
	select {
	case <-closed:
		return err
	default:
		return nil
	}
}

// maxInBubble is what [maxCalls] is where each call wakes goroutines.
const maxInBubble = maxCalls / 10

// straggle is how long, on the bubble's clock, goroutines that wait for time alone may
// do so at the end of a trial.
const straggle = time.Minute

// finish ends what the lives left. A goroutine that waits for what never comes is left
// to the bubble, which tells of it.
func (b *bubble) finish() {
	close(b.over)
	for _, l := range b.lives {
		l.dead = true
		l.goOn()
	}
	for _, far := range b.links {
		_ = far.Close()
	}
	b.outside(func() { time.Sleep(straggle) })
	b.mu.Unlock()
	b.t.pool.close()
}

// spawn runs f as what a life's death ends by force; see [bubble.freeze].
//
//go:noinline
func spawn(f func()) {
	room()
	f()
}

// room makes the stack of a goroutine as large as most need it, once and while there
// is nothing on it to move.
//
//go:noinline
func room() byte {
	var b [28 << 10]byte
	return b[len(os.Args)]
}

var spawned = entry()

func entry() (pc uintptr) {
	spawn(func() {
		var pcs [1]uintptr
		runtime.Callers(2, pcs[:])
		f, _ := runtime.CallersFrames(pcs[:]).Next()
		pc = f.Func.Entry()
	})
	return pc
}

// wakes is a life's clock in a bubble.
type wakes life

// Now implements [harness.Clock].
func (c *wakes) Now() time.Time { return time.Now() }

// Sleep implements [harness.Clock].
func (c *wakes) Sleep(ctx context.Context, d time.Duration) error {
	err := harness.SystemClock{}.Sleep(ctx, d)
	c.t.bubble.guard((*life)(c), func() {})
	return err
}
