package wire

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/deliver"
	"github.com/retrydrill/drill/harness/tap"
	"github.com/retrydrill/drill/harness/worker"
)

// trial is one carrying-out of a schedule.
type trial struct {
	boundary
	w    *World
	s    harness.Schedule
	base string
	dirs int
	// mark is in the environment of every process of this trial, and of no other.
	mark  string
	start time.Time
	conns atomic.Int32
	gate  *deliver.Rendezvous
	// authority signs for the hosts that the target stands in for; nil where there is
	// none.
	authority *authority
	pulse     *pulse

	ctx    context.Context
	cancel context.CancelFunc

	mu     sync.Mutex
	seats  []*seat
	flying int
	// lasting are the faults that go on when their request has gone.
	lasting sync.WaitGroup
	// stirred tells that a request or a connection came or went.
	stirred chan struct{}

	holds deliver.Holds
	conductor
}

// seat is one worker's place during a trial.
type seat struct {
	number      int
	slot        *slot
	runner      worker.Runner
	process     bool
	dir         string
	incarnation int
	alive       bool
	life        worker.Mortal
	atWork      bool
	// hand is what it is at; stopped: its process stands still.
	hand    *deliver.Hand
	stopped bool
	// givenUp is closed when its caller gives up, and nil where none can any more; over
	// once the hand-over has ended.
	givenUp, over chan struct{}
	// alerts is where a worker is sent whose handshake fails; nil where none is.
	alerts *alerts
	// dying is set where it ends at the next thing that it does.
	dying *dying
}

func newTrial(w *World, s harness.Schedule, base string) *trial {
	t := &trial{w: w, s: s, base: base, start: time.Now(), stirred: make(chan struct{}, 1)}
	t.mark = w.mark + filepath.Base(base)
	t.conductor.inbox, t.conductor.poked = make(chan ended, 16), make(chan struct{}, 1)
	t.conductor.notices, t.conductor.expiries = make(chan heardOf), make(chan expiry)
	t.ctx, t.cancel = context.WithCancel(context.Background())
	return t
}

// open puts the tap in front of the target.
func (t *trial) open(token string) {
	t.boundary.open(t.ctx, t.s, t.start, token)
	t.crew, t.handler.Gate = t, t.gated
	if t.target.Tell != nil && deliver.Tells(&t.s) {
		t.target.Tell(t.tell)
	}
	t.handler.Carry = func(f *harness.Fault) tap.Carrier {
		c, strikes := onWorkers[f.Kind().Key()]
		if !strikes {
			return t.carry(f)
		}
		return func(ctx context.Context, x *tap.Exchange, f *harness.Fault) bool { return c(t, ctx, x, f) }
	}
}

// now is how long the trial goes on.
func (t *trial) now() time.Duration { return time.Since(t.start) }

func (t *trial) opened() int { return int(t.conns.Add(1)) }

func (t *trial) note(e harness.Event) { t.session.Add(e) }

// serve carries one request; it counts as flying until the tap is done with it.
func (t *trial) serve(w http.ResponseWriter, r *http.Request, e harness.Event) {
	if t.dies(e.Worker, e.Incarnation) {
		panic(http.ErrAbortHandler)
	}
	t.mu.Lock()
	t.flying++
	t.mu.Unlock()
	defer func() {
		t.mu.Lock()
		t.flying--
		t.mu.Unlock()
		t.stir()
		t.poke()
	}()
	t.handler.Serve(w, r, e)
}

// seat returns the n-th worker's place, and makes it if there is none yet.
func (t *trial) seat(n int) (*seat, error) {
	for len(t.seats) < n {
		number := len(t.seats) + 1
		slot, err := t.w.take(t.armed(number))
		if err != nil {
			return nil, err
		}
		s := &seat{number: number, slot: slot}
		t.mu.Lock()
		t.seats = append(t.seats, s)
		t.mu.Unlock()
		if number == 1 {
			s.dir, err = t.stateDir()
		} else {
			s.dir = t.seats[0].dir
		}
		if err == nil {
			s.runner, s.process, err = t.runner(s)
		}
		if err != nil {
			return nil, err
		}
	}
	return t.seats[n-1], nil
}

// armed reports whether the slot's closes have to be RSTs: iff its schedule has one.
func (t *trial) armed(number int) bool {
	return slices.ContainsFunc(t.s.Faults, func(f harness.Fault) bool {
		return f.Name == "reset" && (f.Where.Worker == 0 || f.Where.Worker == number)
	})
}

func (t *trial) runner(s *seat) (worker.Runner, bool, error) {
	x := t.s.Executor
	environ := s.slot.refuser.environ()
	if t.authority != nil {
		environ = append(environ, t.authority.environ()...)
	}
	switch x.Kind {
	case "exec":
		return &worker.Exec{Command: x.Command, Environ: environ, Mark: t.mark}, true, nil
	case "serve":
		r := &worker.Serve{Command: x.Command, Environ: environ, Mark: t.mark}
		if x.Serve != nil {
			r.How = *x.Serve
		}
		return r, true, nil
	case "builtin":
		start, ok := t.w.o.Builtins[x.Name]
		if !ok {
			return nil, false, fmt.Errorf("there is no built-in executor %q", x.Name)
		}
		if !t.s.Kills() {
			return inProcess(start), false, nil
		}
		self, err := os.Executable()
		if err != nil {
			return nil, false, fmt.Errorf("built-in executor: %w", err)
		}
		return &worker.Exec{Command: append([]string{self}, t.w.o.Self...), Environ: environ, Mark: t.mark}, true, nil
	case "func":
		start, ok := t.w.o.Funcs[x.Name]
		if !ok {
			return nil, false, fmt.Errorf("there is no Go executor %q", x.Name)
		}
		return inProcess(start), false, nil
	}
	return nil, false, fmt.Errorf("executor kind %q is not carried out by this world", x.Kind)
}

// certOf is the certificate of a host that the target stands in for, or nil.
func (t *trial) certOf(host string) *tls.Certificate {
	if t.authority == nil || !slices.Contains(t.s.Executor.Intercept, host) {
		return nil
	}
	cert, err := t.authority.forHost(host)
	if err != nil {
		return nil
	}
	return cert
}

// inProcess lets an incarnation's connections end with it.
func inProcess(start worker.New) worker.Runner {
	return &worker.InProcess{New: func(env worker.Env) (worker.Func, func() error, error) {
		run, stop, err := start(env)
		return run, func() error {
			defer env.HTTP.Transport.(*envClient).end()
			return stop()
		}, err
	}}
}

// handover is what the runner gets.
func (t *trial) handover(s *seat, d *deliver.Hand, raw []byte) worker.Handover {
	delivery := d.Again
	var env worker.Env
	deliver.Declare(&env, &t.s, &t.target.Promises, deliver.Token(t.s.Seed))
	env.Receipts = t.w.o.Receipts
	env.TargetURL, env.StateDir, env.Worker, env.Clock = t.addressFor(s, d), s.dir, s.number, harness.SystemClock{}
	h := worker.Handover{Env: env, Raw: raw, Blind: t.s.Blind, Delivery: delivery}
	if len(t.s.Executor.Command) == 0 {
		h.Env.Records = records{t, s}
	}
	if !s.process {
		h.Env.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
			if err := t.unreachable(s); err != nil {
				return nil, err
			}
			return (&net.Dialer{}).DialContext(ctx, network, address)
		}
		h.Env.Log = slog.New(slog.NewTextHandler(logWriter{t, s}, &slog.HandlerOptions{ReplaceAttr: dropTime}))
		h.Env.HTTP = newEnvClient(t.target.Protocol, func(e harness.Event) {
			b := s.slot.bound.Load()
			if b == nil || b.host != t {
				return
			}
			e.Worker, e.Incarnation, e.Delivery = b.worker, b.incarnation, b.delivery
			t.session.Add(e)
		}, func() error { return t.unreachable(s) })
		return h
	}
	if t.s.Executor.Kind == "builtin" {
		h.Extra = []string{worker.EnvBuiltin + "=" + t.s.Executor.Name, worker.EnvProfile + "=" + t.s.Profile, worker.EnvPolicy + "=" + t.s.Executor.Policy,
			worker.EnvSeed + "=" + fmt.Sprint(t.s.Seed), worker.EnvReceipts + "=" + t.w.o.Receipts}
	}
	h.Extra = append(h.Extra, pastProxies(d)...)
	fill := strings.NewReplacer("${target_url}", env.TargetURL, "${target_token}", env.Token, "${state_dir}", env.StateDir, "${ca_file}", t.authority.path())
	for _, k := range slices.Sorted(maps.Keys(t.s.Executor.Env)) {
		h.Extra = append(h.Extra, k+"="+fill.Replace(t.s.Executor.Env[k]))
	}
	return h
}

// dropTime leaves wall time out of what a built-in executor logs.
func dropTime(groups []string, a slog.Attr) slog.Attr {
	if len(groups) == 0 && a.Key == slog.TimeKey {
		return slog.Attr{}
	}
	return a
}

// logWriter records what an in-process executor logs.
type logWriter struct {
	t *trial
	s *seat
}

func (w logWriter) Write(p []byte) (int, error) {
	w.t.log(w.s, string(p))
	return len(p), nil
}

// maxLogLine and maxLogLines bound what a history keeps of a worker's talk.
const (
	maxLogLine  = 1 << 10
	maxLogLines = 200
)

// holdBegins implements crew.
func (t *trial) holdBegins(worker int) <-chan struct{} {
	hopeless := t.holds.Begin(worker)
	t.poke()
	return hopeless
}

// holdEnds implements crew.
func (t *trial) holdEnds(hopeless <-chan struct{}) { t.holds.End(hopeless) }

// releaseHopeless ends the holds of workers beside whom nobody is at work and free.
func (t *trial) releaseHopeless() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.holds.Release(func(yield func(int) bool) {
		for _, s := range t.seats {
			if s.atWork && !s.stopped && !yield(s.number) {
				return
			}
		}
	})
}

// settle waits for everything that is still on its way, and ends what the trial
// started. An effect after the report counts, so nothing is cut short.
func (t *trial) settle(parent context.Context) error {
	defer t.cancel()
	bound, stop := context.WithTimeout(context.WithoutCancel(parent), t.s.Limits.Trial.D()/2)
	defer stop()
	if parent.Err() != nil {
		// Interrupted: what is held is let go at once.
		t.cancel()
	}
	if t.mayAct() {
		// It may have answered before its work was done.
		t.quiet(bound)
	}
	var err error
	for _, s := range t.seats {
		s.slot.cutter.releaseAll()
		if s.runner != nil {
			err = errors.Join(err, s.runner.Close())
		}
	}
	for _, s := range t.seats {
		if s.process {
			worker.KillStrays(t.mark)
		}
		err = errors.Join(err, s.slot.fence(bound))
	}
	if !t.quiet(bound) {
		t.session.Add(harness.Event{Kind: harness.EvBound, Note: "a request did not come to its end"})
	}
	if !t.targetDone(bound) {
		t.session.Add(harness.Event{Kind: harness.EvBound, Note: "the target's own work did not come to its end"})
	}
	t.cancel()
	for _, s := range t.seats {
		s.slot.closeConns()
	}
	t.quiet(bound)
	t.lasting.Wait()
	for _, s := range t.seats {
		err = errors.Join(err, s.slot.bringUp())
		t.w.give(s.slot)
	}
	return err
}

// targetDone waits until the target has done what it still does by itself.
func (t *trial) targetDone(ctx context.Context) bool {
	if t.target.Pending == nil {
		return true
	}
	for d := t.target.Pending(); d > 0; d = t.target.Pending() {
		if (harness.SystemClock{}).Sleep(ctx, d) != nil {
			return false
		}
	}
	return true
}

func (t *trial) stir() {
	select {
	case t.stirred <- struct{}{}:
	default:
	}
}

// mayAct reports whether a process lives on that nothing is asked of.
func (t *trial) mayAct() bool {
	return slices.ContainsFunc(t.seats, func(s *seat) bool { return s.process && s.runner != nil && s.runner.Alive() })
}

// quiet waits until no request is at the tap and no connection is open, or nothing
// moved for as long as the limits say while a connection was open idly, or a worker
// could still open one. It reports false if that did not come about in time.
//
// That long is taken in steps. Where the machine did not let drill run for a while, one
// timer would be over at once afterwards, before what came in that while is looked at.
func (t *trial) quiet(ctx context.Context) bool {
	step := t.s.Limits.Quiet.D() / quietSteps
	idle := time.NewTimer(step)
	defer idle.Stop()
	lives := t.mayAct()
	for still := 0; ; {
		// Connections first: a handler that took its connection over closes it before
		// its request has landed.
		open := 0
		for _, s := range t.seats {
			open += s.slot.open()
		}
		t.mu.Lock()
		flying := t.flying
		t.mu.Unlock()
		if flying == 0 && open == 0 && !lives {
			return true
		}
		select {
		case <-t.stirred:
			still = 0
		case <-idle.C:
			if still++; still >= quietSteps && flying == 0 {
				return true
			}
		case <-ctx.Done():
			return false
		}
		idle.Reset(step)
	}
}

// quietSteps is in how many steps a trial waits for nothing to move.
const quietSteps = 5

// audit compares the ledger with what was recorded, and looks for the token in the
// state that the worker kept.
func (t *trial) audit() error {
	seen := 0
	for _, e := range t.session.Snapshot() {
		if e.Kind == harness.EvEffect {
			seen++
		}
	}
	if n := len(t.target.Effects()); n != seen {
		return fmt.Errorf("the ledger holds %d effects and the record %d", n, seen)
	}
	files, leaks, err := deliver.Files(t.base, t.session.Leaks)
	if leaks {
		t.session.Add(harness.Event{Kind: harness.EvLeak, Note: "a receipt (the state directory)"})
	}
	elsewhere, terr := t.take()
	t.session.Add(harness.Event{Kind: harness.EvState, N: files + elsewhere})
	return errors.Join(err, terr)
}

// take looks through what was kept outside the state directories, and removes it.
func (t *trial) take() (kept int, err error) {
	if t.w.o.Receipts == "" {
		return 0, nil
	}
	for n := range t.dirs {
		texts, terr := t.w.o.Take(t.stateDirAt(n + 1))
		for _, text := range texts {
			if t.session.Leaks(text) {
				t.session.Add(harness.Event{Kind: harness.EvLeak, Note: "a receipt (the database)"})
			}
		}
		kept, err = kept+len(texts), errors.Join(err, terr)
	}
	return kept, err
}
