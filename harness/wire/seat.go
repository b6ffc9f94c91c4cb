package wire

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/deliver"
	"github.com/retrydrill/drill/harness/worker"
)

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
	// begun is closed once life is known, or there will be none.
	begun  chan struct{}
	atWork bool
	// hand is what it is at; stopped: its process stands still.
	hand    *deliver.Hand
	stopped bool
	// givenUp is closed when its caller gives up, and nil where none can any more; over
	// once the hand-over has ended.
	givenUp, over chan struct{}
	// alerts is where a worker is sent whose handshake fails; nil where none is.
	alerts *alerts
	// strikes counts the faults that are about to end what it is at; onRecord is closed
	// once what they did is on record, and its end is told after that.
	strikes  int
	onRecord chan struct{}
	// dying is set where it ends at the next thing that it does.
	dying *dying
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

// stateDir makes one more state directory for the trial.
func (t *trial) stateDir() (string, error) {
	t.dirs++
	dir := t.stateDirAt(t.dirs)
	if err := os.Mkdir(dir, 0o700); err != nil {
		return "", fmt.Errorf("state directory: %w", err)
	}
	return dir, nil
}

func (t *trial) stateDirAt(n int) string { return filepath.Join(t.base, fmt.Sprintf("state%d", n)) }
