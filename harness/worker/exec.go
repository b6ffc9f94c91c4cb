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
	cmd := e.command(h)
	in, err := pipes(cmd, h.Env.Records != nil)
	if err != nil {
		return End{Note: "not started", Err: err}
	}
	defer in.close()
	out, err := newSaid(in.stdout)
	if err != nil {
		return End{Note: "not started", Err: err}
	}
	if err := cmd.Start(); err != nil {
		return End{Note: "not started", Err: fmt.Errorf("worker %q: %w", e.Command[0], err)}
	}
	in.closeTheirs()
	p := &process{pid: cmd.Process.Pid, out: out, reaped: make(chan struct{})}
	if on.Started != nil {
		on.Started(p)
	}
	go in.hand(h.Raw)
	// What is held at the record boundary goes on once nobody is left that waits.
	alive, over := context.WithCancel(ctx)
	defer over()
	s := &saying{on: on}
	if h.Env.Records != nil {
		s.standBy(alive, in, h.Env.Records)
	}
	s.listen(in, out)
	ended := make(chan struct{})
	go p.bound(ctx, h.GivenUp, ended)
	p.wait(cmd)
	close(ended)
	over()
	drain(&s.readers, in, e.Mark)
	end := p.end(cmd, s.bytes)
	if ctx.Err() != nil && end.Died {
		end.Err = context.Cause(ctx)
	}
	return end
}

// command is the process of one delivery, in a group of its own.
func (e *Exec) command(h Handover) *exec.Cmd {
	cmd := exec.Command(e.Command[0], e.Command[1:]...)
	cmd.Env = append(append(append([]string{}, e.Environ...), h.environ()...), h.Extra...)
	if e.Mark != "" {
		cmd.Env = append(cmd.Env, e.Mark)
	}
	ownGroup(cmd)
	return cmd
}

// saying is what a process says in one delivery.
type saying struct {
	on      Listener
	readers sync.WaitGroup
	// bytes counts standard output, once the readers are done.
	bytes int64
	// one is held while a line is handed on: two outputs are read at once.
	one     sync.Mutex
	reports tally
}

// standBy lets the gate stand at the process's own writes.
func (s *saying) standBy(alive context.Context, in *ends, gate RecordGate) {
	ready := s.on.Ready
	if ready == nil {
		ready = func() {}
	}
	w := world{in.records, in.orders, gate, ready, s.reports.reach}
	s.readers.Go(func() { w.serve(alive) })
}

// listen reads both outputs; what stands on standard error is no report.
func (s *saying) listen(in *ends, out *said) {
	s.readers.Go(func() {
		defer out.end()
		s.bytes = readLines(out, s.line)
	})
	s.readers.Go(func() {
		readLines(in.stderr, func(text []byte, _ bool) { s.line(text, false) })
	})
}

func (s *saying) line(text []byte, whole bool) {
	s.one.Lock()
	defer s.one.Unlock()
	if dispatch(text, whole, s.on) {
		s.reports.add()
	}
}
