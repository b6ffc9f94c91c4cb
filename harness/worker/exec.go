package worker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"time"

	"github.com/retrydrill/drill/harness"
)

// outputGrace is how long the harness reads on after the worker's process group is
// gone: only a child that left the group can still hold the output.
const outputGrace = 2 * time.Second

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

// drain waits until all that a process which is gone has printed is read.
func drain(readers *sync.WaitGroup, in *ends, mark string) {
	drained := make(chan struct{})
	go func() { readers.Wait(); close(drained) }()
	select {
	case <-drained:
	case <-time.After(outputGrace):
		KillStrays(mark)
		in.expire()
		<-drained
	}
}

// dispatch hands a line on and reports whether it was a report, or meant as one.
func dispatch(text []byte, whole bool, on Listener) (report bool) {
	if whole {
		r, ok, err := ParseReport(text)
		if !ok && err != nil {
			r = harness.Report{Detail: err.Error()}
		}
		if report = ok || err != nil; report && on.Report != nil {
			on.Report(r)
			return true
		}
	}
	if on.Log != nil {
		on.Log(string(text))
	}
	return report
}

// environ is what the worker protocol puts into the environment of one delivery.
func (h Handover) environ() []string {
	out := h.surroundings()
	if h.Env.Records != nil {
		out = append(out, recordsEnviron())
	}
	if !h.Blind {
		out = append(out, EnvWorker+"="+strconv.Itoa(h.Env.Worker), EnvDelivery+"="+strconv.Itoa(h.Delivery))
	}
	return out
}

// surroundings are the same for all deliveries to a worker.
func (h Handover) surroundings() []string {
	ms := func(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }
	return []string{
		EnvProtocol + "=" + strconv.Itoa(Protocol),
		EnvTargetURL + "=" + h.Env.TargetURL,
		EnvTargetToken + "=" + h.Env.Token,
		EnvStateDir + "=" + h.Env.StateDir,
		EnvClientDeadline + "=" + ms(h.Env.ClientDeadline),
		EnvLease + "=" + ms(h.Env.Lease),
		EnvKeyRetention + "=" + ms(h.Env.KeyRetention),
		EnvPolicyVersion + "=" + h.Env.PolicyVersion,
	}
}

// ends holds the pipes to and from a worker.
type ends struct {
	stdin, stdout, stderr *os.File
	// records and orders are the talk about the worker's own writes, or nil.
	records, orders *os.File
	theirs          []*os.File
}

func pipes(cmd *exec.Cmd, records bool) (*ends, error) {
	e := &ends{}
	fail := func(err error) (*ends, error) {
		e.close()
		e.closeTheirs()
		return nil, fmt.Errorf("worker's pipes: %w", err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		return fail(err)
	}
	e.stdin, e.theirs, cmd.Stdin = w, append(e.theirs, r), r
	if r, w, err = os.Pipe(); err != nil {
		return fail(err)
	}
	e.stdout, e.theirs, cmd.Stdout = r, append(e.theirs, w), w
	if r, w, err = os.Pipe(); err != nil {
		return fail(err)
	}
	e.stderr, e.theirs, cmd.Stderr = r, append(e.theirs, w), w
	if !records {
		return e, nil
	}
	if r, w, err = os.Pipe(); err != nil {
		return fail(err)
	}
	e.orders, e.theirs, cmd.ExtraFiles = w, append(e.theirs, r), append(cmd.ExtraFiles, r)
	if r, w, err = os.Pipe(); err != nil {
		return fail(err)
	}
	e.records, e.theirs, cmd.ExtraFiles = r, append(e.theirs, w), append(cmd.ExtraFiles, w)
	return e, nil
}

func (e *ends) closeTheirs() {
	for _, f := range e.theirs {
		_ = f.Close()
	}
	e.theirs = nil
}

func (e *ends) expire() {
	_ = e.stdout.SetReadDeadline(time.Unix(1, 0))
	_ = e.stderr.SetReadDeadline(time.Unix(1, 0))
	if e.records != nil {
		_ = e.records.SetReadDeadline(time.Unix(1, 0))
	}
}

func (e *ends) close() {
	e.closeTheirs()
	for _, f := range []*os.File{e.stdin, e.stdout, e.stderr, e.records, e.orders} {
		if f != nil {
			_ = f.Close()
		}
	}
}
