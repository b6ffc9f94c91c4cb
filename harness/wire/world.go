package wire

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	toxiproxy "github.com/Shopify/toxiproxy/v2"
	"github.com/rs/zerolog"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/deliver"
	"github.com/retrydrill/drill/harness/tap"
	"github.com/retrydrill/drill/harness/worker"
)

// Options say what a world runs with.
type Options struct {
	// Target builds the target of one trial.
	Target func(s *harness.Schedule, env tap.TargetEnv) (*tap.Target, error)
	// Builtins and Funcs are Go executors by name: the first can be started as a
	// child of this binary (see worker.Child), the second can not be killed.
	Builtins, Funcs map[string]worker.New
	// Self are arguments that this binary needs to come to worker.Child when it is
	// started as a built-in; a command that begins with it needs none.
	Self []string
	// Dir holds the state directories; empty means the system's temporary folder.
	Dir string
	// Receipts is [worker.Env.Receipts] of built-in executors. Where it is set, Take
	// returns what they kept there for one state directory, as text, and removes it.
	Receipts string
	Take     func(stateDir string) ([]string, error)
}

// World runs trials; several may run at once.
type World struct {
	o      Options
	server *toxiproxy.ApiServer
	dir    string
	mark   string

	// authority is made once a worker has to trust it.
	authority func() (*authority, error)

	mu     sync.Mutex
	free   map[bool][]*slot
	all    []*slot
	closed bool
}

// slotNumbers are unique in the process, since the toxic finds its slot by number.
var slotNumbers struct {
	sync.Mutex
	n int
}

// ErrNotIsolated is returned for a schedule that kills a worker which runs inside
// this process.
var ErrNotIsolated = errors.New("the schedule kills its worker, and a Go function can not be killed: it needs Isolate")

// New opens a world. The error is [worker.ErrSystem] where none can be.
func New(o Options) (*World, error) {
	if !worker.Kills {
		return nil, worker.ErrSystem
	}
	var nonce [8]byte
	_, _ = rand.Read(nonce[:])
	dir, err := os.MkdirTemp(o.Dir, "drill-")
	if err != nil {
		return nil, fmt.Errorf("state directory: %w", err)
	}
	return &World{
		o:         o,
		server:    toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop()),
		dir:       dir,
		mark:      "DRILL_MARK=" + hex.EncodeToString(nonce[:]),
		authority: sync.OnceValues(func() (*authority, error) { return newAuthority(dir) }),
		free:      map[bool][]*slot{},
	}, nil
}

// Close ends every slot.
func (w *World) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	var err error
	for _, s := range w.all {
		err = errors.Join(err, s.close())
	}
	w.all, w.free = nil, nil
	return errors.Join(err, os.RemoveAll(w.dir))
}

func (w *World) take(armed bool) (*slot, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil, errors.New("the world is closed")
	}
	if f := w.free[armed]; len(f) > 0 {
		s := f[len(f)-1]
		w.free[armed] = f[:len(f)-1]
		return s, nil
	}
	s, err := newSlot(w.server, slotOptions{armed: armed})
	if err != nil {
		return nil, err
	}
	w.all = append(w.all, s)
	return s, nil
}

func (w *World) give(s *slot) {
	s.bound.Store(nil)
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.closed {
		w.free[s.armed] = append(w.free[s.armed], s)
	}
}

// Unsupported names the lines of the schedule that this world does not carry out.
func Unsupported(s harness.Schedule) []harness.Fault {
	var out []harness.Fault
	for _, f := range s.Faults {
		if !slices.Contains(Carried(), f.Kind().Key()) {
			out = append(out, f)
		}
	}
	return out
}

// Run carries out one trial.
func (w *World) Run(ctx context.Context, s harness.Schedule) (*harness.History, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if u := Unsupported(s); len(u) > 0 {
		return nil, fmt.Errorf("fault %q is not yet carried out by this world (wire)", u[0])
	}
	if s.Executor.Kind == "func" && s.Kills() {
		return nil, ErrNotIsolated
	}
	if s.Executor.Kind == "exec" && givesUp(&s) {
		return nil, ErrNoCaller
	}
	base, err := os.MkdirTemp(w.dir, "trial-")
	if err != nil {
		return nil, fmt.Errorf("state directory: %w", err)
	}
	defer os.RemoveAll(base)
	t := newTrial(w, s, base)
	if len(s.Executor.Intercept) > 0 {
		if t.authority, err = w.authority(); err != nil {
			return nil, err
		}
	}
	token := deliver.Token(s.Seed)
	t.target, err = w.o.Target(&s, tap.TargetEnv{Token: token, Now: time.Now})
	if err != nil {
		return nil, fmt.Errorf("target: %w", err)
	}
	t.open(token)
	t.pulse = newPulse()
	err = t.run(ctx)
	err = errors.Join(err, t.settle(ctx))
	for _, e := range t.pulse.end(s.Limits) {
		t.session.Add(e)
	}
	h := &harness.History{Version: harness.HistoryVersion, Schedule: s, Promises: t.target.Promises}
	err = errors.Join(err, t.audit(), t.target.Close())
	h.Events = t.session.Events()
	return h, err
}
