package worker

import (
	"context"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/retrydrill/drill/internal/port"
)

// The variables that tell a serve worker where to listen; ${listen} and ${port} in its
// command, and in the variables that drill.yaml maps, are the same.
const (
	EnvListen = "DRILL_LISTEN"
	EnvPort   = "DRILL_PORT"
)

// served is one life of a serve worker.
type served struct {
	*process
	cmd  *exec.Cmd
	in   *ends
	port *port.Held
	// asked: it was ready once.
	asked bool
	// out is who hears what it prints, which is whoever handed it something last.
	out     atomic.Pointer[Listener]
	bytes   atomic.Int64
	readers sync.WaitGroup
	mark    string
}

// start begins a life.
func (s *Serve) start(h Handover, on Listener) (*served, error) {
	held, err := port.Hold()
	if err != nil {
		return nil, err
	}
	l := &served{port: held, mark: s.Mark}
	l.out.Store(&on)
	fill := strings.NewReplacer("${listen}", held.Address(), "${port}", strconv.Itoa(held.Number),
		"${target_url}", h.Env.TargetURL, "${state_dir}", h.Env.StateDir).Replace
	words := make([]string, 0, len(s.Command))
	for _, w := range s.Command {
		words = append(words, fill(w))
	}
	l.cmd = exec.Command(words[0], words[1:]...)
	l.cmd.Env = append(append([]string{}, s.Environ...), h.surroundings()...)
	if !h.Blind {
		l.cmd.Env = append(l.cmd.Env, EnvWorker+"="+strconv.Itoa(h.Env.Worker))
	}
	l.cmd.Env = append(l.cmd.Env, EnvListen+"="+held.Address(), EnvPort+"="+strconv.Itoa(held.Number))
	for _, v := range h.Extra {
		l.cmd.Env = append(l.cmd.Env, fill(v))
	}
	if s.Mark != "" {
		l.cmd.Env = append(l.cmd.Env, s.Mark)
	}
	ownGroup(l.cmd)
	if l.in, err = pipes(l.cmd, false); err != nil {
		_ = held.Close()
		return nil, err
	}
	if err := l.cmd.Start(); err != nil {
		l.in.close()
		_ = held.Close()
		return nil, fmt.Errorf("worker %q: %w", words[0], err)
	}
	l.in.closeTheirs()
	_ = l.in.stdin.Close()
	l.process = &process{pid: l.cmd.Process.Pid, reaped: make(chan struct{})}
	heard := func(text []byte, _ bool) {
		if on := l.out.Load(); on.Log != nil {
			on.Log(string(text))
		}
	}
	l.readers.Go(func() { l.bytes.Add(readLines(l.in.stdout, heard)) })
	l.readers.Go(func() { l.bytes.Add(readLines(l.in.stderr, heard)) })
	go l.wait(l.cmd)
	return l, nil
}

// quitGrace is how long a worker may take to end when it is asked to.
const quitGrace = time.Second

// end asks the life to end, and ends it.
func (l *served) end() error {
	if !l.gone() {
		l.Term()
		select {
		case <-l.reaped:
		case <-time.After(quitGrace):
			l.Kill()
		}
	}
	return l.clear()
}

// clear gives back what a life that is over has held.
func (l *served) clear() error {
	drain(&l.readers, l.in, l.mark)
	l.in.close()
	return l.port.Close()
}

// came says how the life ended.
func (l *served) came() End { return l.process.end(l.cmd, l.bytes.Load()) }

// becomeReady waits until the worker can be asked.
func (l *served) becomeReady(ctx context.Context, path string) error {
	for !l.asked {
		if l.isReady(ctx, path) {
			l.asked = true
			break
		}
		select {
		case <-l.reaped:
			return errGone
		case <-ctx.Done():
			return fmt.Errorf("it was not ready in time: %w", context.Cause(ctx))
		case <-time.After(readyEvery):
		}
	}
	return nil
}

// readyEvery is how often a worker is asked whether it is ready.
const readyEvery = 5 * time.Millisecond
