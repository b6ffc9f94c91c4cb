package sim

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/deliver"
	"github.com/retrydrill/drill/harness/tap"
	"github.com/retrydrill/drill/harness/worker"
	"github.com/retrydrill/drill/internal/reuse"
)

// trial is one carrying-out of a schedule, and after that the room for another.
type trial struct {
	engine
	world *World
	s     *harness.Schedule
	// bubble is nil where workers are coroutines.
	bubble *bubble
	start  worker.New
	// executor names what it runs; again: the trial before ran the same.
	executor string
	again    bool
	// words are those of the vocabulary that the trials had so far at each line.
	words   []string
	token   token
	target  *tap.Target
	session *tap.Session
	handler *tap.Handler
	records deliver.Records
	queue   *deliver.Queue
	gate    *deliver.Rendezvous
	holds   deliver.Holds
	seats   []*seat
	// kept are the virtual state directories.
	kept []*directory
	// conns are the connections so far.
	conns reuse.Slab[conn]
	// ctx is what the target's work hangs on: not the client.
	ctx lasting
	// prompt: no request waits on its way; kills: a worker may be killed.
	prompt, kills bool
	err           error
	told          telling

	carriers map[string]tap.Carrier
	// exchanges and calls are those of this trial, in the room of the one before.
	exchanges reuse.Slab[*exchange]
	calls     reuse.Slab[call]
}

// token is what the target demands, which the seed decides.
type token struct {
	seed uint64
	text string
}

func (t *token) of(seed uint64) string {
	if t.text == "" || t.seed != seed {
		t.seed, t.text = seed, deliver.Token(seed)
	}
	return t.text
}

// newTrial returns the room for trials. What is asked by others in its name is made
// once for all of them.
func newTrial(w *World) *trial {
	t := &trial{world: w, carriers: map[string]tap.Carrier{}}
	t.pool = &w.pool
	t.session = tap.NewSession(harness.Schedule{}, nil, tap.NewRecorder(t.tick, ""))
	if w.o.Bubble == nil {
		t.session.Alone()
		t.holds.Alone()
		t.ctx.mu.Alone = true
	}
	t.queue = deliver.NewQueue(&harness.Schedule{})
	t.handler = &tap.Handler{Session: t.session, Context: &t.ctx, Inside: t.inside, Gate: t.gated, Carry: t.carry, Wait: t.await}
	t.records = t.standAt()
	if o := w.o.Bubble; o != nil {
		t.bubble = newBubble(t, o)
	}
	t.told = telling{effect: t.session.Effect, notice: t.tell, happened: t.session.Happened,
		env: tap.TargetEnv{Now: t.clock, Sleep: t.targetSleeps, Reuse: true, Alone: w.o.Bubble == nil}}
	return t
}

// telling is what others call to tell or ask the trial.
type telling struct {
	effect   func(harness.Effect)
	notice   func(harness.Notice)
	happened func(harness.Where) bool
	env      tap.TargetEnv
}

// begin makes it the trial of a history's schedule, of which nothing has happened yet.
func (t *trial) begin(h *harness.History) (err error) {
	s := &h.Schedule
	if err := t.runs(&s.Executor); err != nil {
		return err
	}
	t.s, t.again = s, t.again && t.bubble == nil
	t.engine = engine{pool: t.pool, alive: t.alive[:0]}
	t.gate, t.err = nil, nil
	t.seats, t.kept = t.seats[:0], t.kept[:0]
	t.ctx.begin()
	t.conns.Reset()
	t.exchanges.Reset()
	t.calls.Reset()
	t.holds.Reset()
	t.told.env.Token = t.token.of(s.Seed)
	t.session.Recorder.Reset(t.token.text, h.Room.(*tap.Room))
	t.session.Reset(s)
	if u := t.unsupported(); u != nil {
		return fmt.Errorf("fault %q %w", *u, ErrFault)
	}
	t.target, err = t.world.o.Target(s, t.told.env)
	if err != nil {
		return fmt.Errorf("target: %w", err)
	}
	t.prompt, t.kills = prompt(s, t.target.Prompt), s.Kills()
	t.queue.Reset(s, t.session.Lines(), t.again)
	t.session.Reads(t.target.Namer)
	t.open()
	return nil
}

// over ends it: the handles of every life answer that it has ended, whoever still has
// one.
func (t *trial) over() {
	for _, s := range t.seats {
		s.leave()
	}
}

// clock is the time in this world: [Start] and the trial's own, as one that is asked often
// puts it together.
func (t *trial) clock() time.Time {
	if now := t.now; now < time.Second {
		return time.Unix(startUnix, int64(now)).UTC()
	}
	return Start.Add(t.now)
}

// startUnix is Start, in seconds since 1970.
var startUnix = Start.Unix()

// targetSleeps has the target work for d on the world's clock.
func (t *trial) targetSleeps(_ context.Context, d time.Duration) error {
	t.block(wait{timed: true, until: t.now + d})
	return nil
}

// instant is how far one event is from the next: no two happen at one time, and all
// that happens while nobody waits stays far below what a schedule counts in.
const instant = time.Microsecond

// tick is the time of the next event.
func (t *trial) tick() time.Duration {
	t.now += instant
	return t.now
}

// open puts the tap in front of the target.
func (t *trial) open() {
	for _, planted := range t.target.Effects() {
		t.session.Effect(planted)
	}
	t.target.Watch(t.told.effect)
	if t.target.Tell != nil && deliver.Tells(t.s) {
		t.target.Tell(t.told.notice)
	}
	t.handler.Target = t.target
}

// run conducts the trial until every delivery is settled and nothing is on its way.
func (t *trial) run(parent context.Context) error {
	for {
		if err := t.gather(); err != nil {
			return err
		}
		if err := parent.Err(); err != nil {
			return errors.Join(context.Cause(parent), t.drain())
		}
		if t.err != nil {
			return t.drain()
		}
		wait, err := t.handOut()
		if err != nil {
			return errors.Join(err, t.drain())
		}
		if f := t.next(); f != nil {
			t.goOn(f)
			continue
		}
		if t.holds.Release(t.working) {
			continue
		}
		if t.queue.Done() && len(t.alive) == 0 && t.pending() == 0 {
			if t.bubble == nil || t.bubble.quiet() {
				return nil
			}
			continue
		}
		at, ok := t.earliest(wait)
		if !ok && t.bubble == nil {
			return errors.Join(fmt.Errorf("the trial is stuck: %d wait for what can not come", len(t.alive)), t.drain())
		}
		if !t.pass(at, ok) {
			t.session.Add(harness.Event{Kind: harness.EvBound, Note: "the trial's time"})
			return t.drain()
		}
		t.overtime()
	}
}

// pass lets time go on until then, and reports false where the trial's own time is up.
// In a bubble others wait for time, too.
func (t *trial) pass(at time.Duration, ok bool) bool {
	limit := t.s.Limits.Trial.D()
	if t.bubble != nil {
		if !ok || at > limit {
			at = limit
		}
		if t.now >= limit {
			return false
		}
		t.bubble.pass(at)
		return true
	}
	if at > limit {
		return false
	}
	t.now, t.moved = max(t.now, at), t.moved+1
	return true
}

// gather takes in what the goroutines of a bubble ask for.
func (t *trial) gather() error {
	if t.bubble == nil {
		return nil
	}
	return t.bubble.gather()
}

// handOut makes every hand-over that is due, and returns how long until the next.
func (t *trial) handOut() (time.Duration, error) {
	for {
		h, wait, err := t.queue.Next(t.now, t.told.happened)
		if err != nil {
			return 0, err
		}
		if h == nil {
			t.watched = wait.At != nil
			return wait.For, nil
		}
		if err := t.hand(h); err != nil {
			return 0, err
		}
	}
}

// goOn lets a fiber go on; one that is done is a delivery or a request that ended.
func (t *trial) goOn(f *fiber) {
	if !t.step(f) {
		return
	}
	if f.seat != nil {
		t.ended(f.seat)
	}
	if a := f.asked; a != nil && a.told != nil {
		t.bubble.wake, t.bubble.settled = a, false
	}
	t.pool.give(f)
}

// working yields the slots that are at work.
func (t *trial) working(yield func(int) bool) {
	for _, s := range t.seats {
		if s.hand != nil && !s.stopped() && !yield(s.number) {
			return
		}
	}
}

// pending is how long the target works on by itself.
func (t *trial) pending() time.Duration {
	if t.target.Pending == nil {
		return 0
	}
	return t.target.Pending()
}

// earliest is when the next thing happens by time alone.
func (t *trial) earliest(wait time.Duration) (at time.Duration, ok bool) {
	at, ok = t.wakeAt()
	sooner := func(d time.Duration) {
		if !ok || d < at {
			at, ok = d, true
		}
	}
	if wait > 0 {
		sooner(t.now + wait)
	}
	for _, s := range t.seats {
		if s.hand != nil && (!s.late || t.bubble != nil) {
			sooner(s.deadline)
		}
	}
	if d := t.pending(); !ok && d > 0 {
		sooner(t.now + d)
	}
	return at, ok
}

// overtime ends the deliveries that took too long.
func (t *trial) overtime() {
	for _, s := range t.seats {
		if s.hand != nil && (!s.late || t.bubble != nil) && t.now >= s.deadline {
			s.deadline += t.s.Limits.Lease.D()
			s.expire()
		}
	}
}

// drain lets everything that is at work come to its end, and returns the trial's
// own error.
func (t *trial) drain() error {
	t.ending = true
	t.ctx.end()
	for _, s := range t.seats {
		if s.hand != nil {
			s.life.die()
		}
	}
	for {
		if err := t.gather(); err != nil {
			return err
		}
		f := t.next()
		if f == nil {
			break
		}
		t.goOn(f)
	}
	return t.err
}

// settle ends what the trial started.
func (t *trial) settle() error {
	t.ctx.end()
	if t.bubble != nil {
		return t.bubble.finish()
	}
	var err error
	for _, s := range t.seats {
		err = errors.Join(err, s.runner.Close())
	}
	return err
}

// audit compares the ledger with what was recorded, and looks for the token in what
// the workers kept.
func (t *trial) audit() error {
	if n, seen := len(t.target.Effects()), t.session.Effects(); n != seen {
		return fmt.Errorf("the ledger holds %d effects and the record %d", n, seen)
	}
	files := 0
	for _, d := range t.kept {
		n, leaks, err := t.look(d)
		if err != nil {
			return err
		}
		files += n
		if leaks {
			t.session.Add(harness.Event{Kind: harness.EvLeak, Note: "a receipt (the state directory)"})
		}
	}
	e := t.session.New()
	e.Kind, e.N = harness.EvState, files
	t.session.Done(e)
	return nil
}
