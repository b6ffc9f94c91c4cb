package sim

import (
	"context"
	"os"
	"runtime"
	"time"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/worker"
)

// asked is what a goroutine of a life asks of the engine.
type asked struct {
	life *life
	work func()
	// what is that unless the life has ended.
	what func(*asked)
	// told gets word once it is done; nil where nobody waits.
	told chan struct{}
	// gone: the caller's context has ended, with that cause.
	gone  bool
	cause error
	// ends: it is the end of the life's delivery.
	ends bool
}

// ask has the engine do the work, and returns when it is done. The end of ctx has the
// engine look whether the work goes on. A life that has ended is not returned to.
func (b *bubble) ask(ctx context.Context, l *life, work func(*asked)) {
	b.converse(ctx, l, work, nil, nil)
}

// converse is ask for work that asks back.
func (b *bubble) converse(ctx context.Context, l *life, work func(*asked), orders <-chan worker.RecordOrder, carryOut func(worker.RecordOrder)) {
	b.lock(l)
	c := b.call(l)
	c.what = work
	b.calls = append(b.calls, c)
	b.mu.Unlock()
	b.ring()
	for gone, told := ctx.Done(), false; !told; {
		select {
		case <-c.told:
			told = true
		case o := <-orders:
			carryOut(o)
		case <-gone:
			gone = nil
			cause := context.Cause(ctx)
			b.mu.Lock()
			c.gone, c.cause = true, cause
			b.mu.Unlock()
			b.ring()
		}
	}
	b.lock(l)
	c.what = nil
	b.idle = append(b.idle, c)
	b.mu.Unlock()
}

// call returns one for a piece of work. It is done unless the life has ended before.
func (b *bubble) call(l *life) *asked {
	var c *asked
	if n := len(b.idle); n > 0 {
		c, b.idle = b.idle[n-1], b.idle[:n-1]
	} else {
		c = &asked{told: make(chan struct{}, 1)}
		c.work = func() {
			if !c.life.dead {
				c.what(c)
			}
		}
	}
	c.life, c.gone, c.cause = l, false, nil
	return c
}

// guard has f done at once, unless the life has ended, which is not returned to. One that
// stands still comes to it when it goes on.
func (b *bubble) guard(l *life, f func()) {
	b.lock(l)
	f()
	b.mu.Unlock()
}

// lock locks the trial for a life that is alive and does not stand still.
func (b *bubble) lock(l *life) {
	for {
		b.mu.Lock()
		dead, goesOn := l.dead, l.in.standing()
		if !dead && goesOn == nil {
			return
		}
		b.mu.Unlock()
		if dead {
			b.freeze()
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

// report takes a report from the executor.
func (l *life) report(r harness.Report) {
	l.t.bubble.ask(context.Background(), l, func(*asked) { l.seat.report(r) })
}

// spawn runs f as what a life's death ends by force; see [bubble.freeze].
//
//go:noinline
func spawn(f func()) {
	room()
	f()
}

// room makes the stack of a goroutine as large as most need it, once and while there
// is nothing on it to move. What it has room for it does not touch.
//
//go:noinline
func room() byte {
	if !roomy {
		return 0
	}
	var b [28 << 10]byte
	return b[len(os.Args)]
}

// roomy stays false, which the compiler does not know.
var roomy bool

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
