package sim

import (
	"context"
	"errors"
	"time"

	"github.com/retrydrill/drill/harness/worker"
)

// ErrGoexit is what a delivery ends with whose goroutine called runtime.Goexit, as
// t.FailNow does.
var ErrGoexit = errors.New("the executor ended its goroutine (runtime.Goexit, as t.FailNow and t.Skip call it)")

// bubbled is what a life has more in a bubble: a goroutine, as a process has its main
// one, that is handed the deliveries one after the other and at last closes what the
// executor holds.
type bubbled struct {
	b      *bubble
	runner worker.InProcess
	// links are those that clients of its own opened.
	links []*wireless

	// ctx, handed and job are the delivery at work.
	ctx    context.Context
	handed worker.Handover
	job    worker.Job
	on     worker.Listener
	// over is how the goroutine tells of the end of a delivery, and end what it tells.
	over asked
	end  worker.End

	// begun: there is, or was, a goroutine; waits: it waits for next.
	begun, waits bool
	next         chan struct{}
	// goesOn is closed once the life does not stand still any more; nil where nobody waits.
	goesOn chan struct{}
	// buried: what it held is to be closed; shut: it is, with err, which closed tells of.
	buried, shut bool
	closed       chan struct{}
	err          error
}

// enlist gives a life what it has in a bubble.
func (b *bubble) enlist(l *life) {
	in := &bubbled{b: b, runner: worker.InProcess{New: b.t.start}, on: worker.Listener{Report: l.report}}
	in.handed.Job = &in.job
	in.over = asked{life: l, ends: true, work: func() { l.seat.end = in.end }}
	l.in = in
	b.lives = append(b.lives, l)
}

// starts is how a delivery begins. It is over when the goroutine says so, or when its
// life has died and nothing of it is at the engine.
func (b *bubble) starts(s *seat) func() {
	in := s.life.in
	ctx, stop := context.WithCancelCause(context.Background())
	in.ctx, in.job, s.stop = ctx, s.job, b.stops(stop)
	in.handed.Env, in.handed.Delivery = s.life.handed.Env, s.hand.Again
	return func() { b.start, b.settled = in, false }
}

// stops has a context end in the bubble, where others wait for that.
func (b *bubble) stops(stop context.CancelCauseFunc) context.CancelCauseFunc {
	return func(cause error) { b.later(func() { stop(cause) }) }
}

// begin has the goroutine go on.
func (in *bubbled) begin() {
	if in.waits {
		in.waits = false
		in.next <- struct{}{}
		return
	}
	in.begun, in.next = true, make(chan struct{}, 1)
	go spawn(in.live)
}

// live carries out one delivery after the other, until the life is buried.
func (in *bubbled) live() {
	whole := false
	defer func() {
		if !whole {
			in.tell(worker.End{Note: "goexit", Err: ErrGoexit}, false)
		}
	}()
	for in.tell(in.runner.Deliver(in.ctx, in.handed, in.on), true) {
		<-in.next
		if in.buried {
			whole = true
			in.close()
			return
		}
	}
	whole = true
}

// tell has the engine know how a delivery ended, and reports whether anybody waits for
// that. The goroutine then waits for the next one, or is no more.
func (in *bubbled) tell(end worker.End, waits bool) bool {
	b := in.b
	b.mu.Lock()
	defer b.mu.Unlock()
	if in.buried {
		return false
	}
	in.end, in.waits = end, waits
	b.calls = append(b.calls, &in.over)
	b.ring()
	return true
}

// standing is what ends when a life goes on that stands still; nil where it does not.
func (in *bubbled) standing() chan struct{} {
	if !in.over.life.stopped {
		return nil
	}
	if in.goesOn == nil {
		in.goesOn = make(chan struct{})
	}
	return in.goesOn
}

// wake lets those go on who wait for that.
func (in *bubbled) wake() {
	if c := in.goesOn; c != nil {
		in.goesOn = nil
		in.b.later(func() { close(c) })
	}
}

// bury closes what a life holds. It waits for that, as long as a delivery may take.
func (b *bubble) bury(l *life) error {
	if !b.dig(l) {
		return nil
	}
	b.cross(b.shut)
	return b.buried()
}

// dig ends a life, and reports whether there is anything to close.
func (b *bubble) dig(l *life) bool {
	if l.in.buried {
		return false
	}
	l.in.buried, l.dead = true, true
	if l.in.begun {
		b.burying = append(b.burying, l.in)
	}
	return l.in.begun
}

// buried says what went wrong with closing.
func (b *bubble) buried() (err error) {
	for i, in := range b.burying {
		if in.shut {
			err = errors.Join(err, in.err)
		}
		b.burying[i] = nil
	}
	b.burying = b.burying[:0]
	return err
}

// shuts closes what the lives hold that are to be buried.
func (b *bubble) shuts() {
	b.begin()
	for _, in := range b.burying {
		in.closed = make(chan struct{})
		if in.waits {
			in.next <- struct{}{}
		} else {
			go spawn(in.close)
		}
		b.settle()
		if !in.shut {
			b.linger(in)
		}
	}
}

// linger waits until a life is closed, as long as a delivery may take.
func (b *bubble) linger(in *bubbled) {
	late := time.NewTimer(b.t.s.Limits.Delivery.D())
	defer late.Stop()
	select {
	case <-in.closed:
	case <-late.C:
	}
	b.settle()
}

func (in *bubbled) close() {
	var err error
	defer func() {
		in.b.mu.Lock()
		in.shut, in.err = true, err
		in.b.mu.Unlock()
		close(in.closed)
	}()
	err = in.runner.Close()
}

// maxInBubble is what [maxCalls] is where each call wakes goroutines.
const maxInBubble = maxCalls / 10

// straggle is how long, on the bubble's clock, goroutines that wait for time alone may
// do so at the end of a trial.
const straggle = time.Minute

// ends closes what the lives hold, and lets go what they left. A goroutine that waits
// for what never comes is left to the bubble, which tells of it.
func (b *bubble) ends() {
	b.shuts()
	close(b.over)
	for _, far := range b.links {
		_ = far.Close()
	}
	time.Sleep(straggle)
	b.done = true
}

// finish ends the lives and the bubble, and says what is left in it.
func (b *bubble) finish() error {
	for _, l := range b.lives {
		b.dig(l)
		l.goOn()
	}
	if b.broken != nil {
		return nil
	}
	w := b.cross(b.end)
	return errors.Join(w.err, b.buried())
}
