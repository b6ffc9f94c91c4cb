package worker

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"sync"
)

// ErrSystem is returned on a system on which drill can not end a worker together with
// all that it started: what a worker leaves behind would go on beside the next one.
var ErrSystem = errors.New("workers run as process groups that are killed as a whole, which drill can do on Linux and macOS alone: use --world sim, or the Windows Subsystem for Linux")

// Exec runs one process a delivery, in a process group of its own.
type Exec struct {
	// Command is the argument vector.
	Command []string
	// Environ is what the process inherits.
	Environ []string
	// Mark is a variable (NAME=value) that no other process has; what still carries
	// it when the delivery ended is killed.
	Mark string
}

// Close does nothing: no process outlives its delivery.
func (*Exec) Close() error { return nil }

// Alive implements [Runner].
func (*Exec) Alive() bool { return false }

// Deliver starts the command and waits for it and for everything it started.
func (e *Exec) Deliver(ctx context.Context, h Handover, on Listener) End {
	if !Kills {
		return End{Note: "not started", Err: ErrSystem}
	}
	cmd := exec.Command(e.Command[0], e.Command[1:]...)
	cmd.Env = append(append(append([]string{}, e.Environ...), h.environ()...), h.Extra...)
	if e.Mark != "" {
		cmd.Env = append(cmd.Env, e.Mark)
	}
	ownGroup(cmd)
	in, err := pipes(cmd, h.Env.Records != nil)
	if err != nil {
		return End{Note: "not started", Err: err}
	}
	defer in.close()
	if err := cmd.Start(); err != nil {
		return End{Note: "not started", Err: fmt.Errorf("worker %q: %w", e.Command[0], err)}
	}
	in.closeTheirs()
	p := &process{pid: cmd.Process.Pid, reaped: make(chan struct{})}
	if on.Started != nil {
		on.Started(p)
	}
	go func() {
		// A worker that dies before it reads leaves EPIPE, which its end tells better.
		_, _ = in.stdin.Write(h.Raw)
		_ = in.stdin.Close()
	}()
	var said sync.Mutex
	var reports tally
	lines := func(text []byte, whole bool) {
		said.Lock()
		defer said.Unlock()
		if dispatch(text, whole, on) {
			reports.add()
		}
	}
	var readers sync.WaitGroup
	// What is held at the record boundary goes on once nobody is left that waits.
	alive, over := context.WithCancel(ctx)
	defer over()
	if h.Env.Records != nil {
		ready := on.Ready
		if ready == nil {
			ready = func() {}
		}
		w := world{in.records, in.orders, h.Env.Records, ready, reports.reach}
		readers.Go(func() { w.serve(alive) })
	}
	var bytes int64
	readers.Go(func() { bytes = readLines(in.stdout, lines) })
	readers.Go(func() {
		readLines(in.stderr, func(text []byte, _ bool) { lines(text, false) })
	})
	ended := make(chan struct{})
	go func() {
		for up := h.GivenUp; ; up = nil {
			select {
			case <-up:
				p.Term()
				continue
			case <-ctx.Done():
				p.Kill()
			case <-ended:
			}
			return
		}
	}()
	p.wait(cmd)
	close(ended)
	over()
	drain(&readers, in, e.Mark)
	end := p.end(cmd, bytes)
	if ctx.Err() != nil && end.Died {
		end.Err = context.Cause(ctx)
	}
	return end
}
