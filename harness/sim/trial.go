package sim

import (
	"fmt"

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
