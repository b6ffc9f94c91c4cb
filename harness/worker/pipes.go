package worker

import (
	"fmt"
	"os"
	"os/exec"
	"sync"
	"time"
)

// ends holds the pipes to and from a worker.
type ends struct {
	stdin, stdout, stderr *os.File
	// records and orders are the talk about the worker's own writes, or nil.
	records, orders *os.File
	theirs          []*os.File
}

// pipes gives the command its ends, those of the record boundary only where somebody
// stands there.
func pipes(cmd *exec.Cmd, records bool) (*ends, error) {
	e := &ends{}
	fail := func(err error) (*ends, error) {
		e.close()
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

// hand writes what the worker reads, to its end. A worker that dies before it reads
// leaves EPIPE, which its end tells better.
func (e *ends) hand(raw []byte) {
	_, _ = e.stdin.Write(raw)
	_ = e.stdin.Close()
}

// closeTheirs closes what the worker has once it runs.
func (e *ends) closeTheirs() {
	for _, f := range e.theirs {
		_ = f.Close()
	}
	e.theirs = nil
}

func (e *ends) close() {
	e.closeTheirs()
	for _, f := range []*os.File{e.stdin, e.stdout, e.stderr, e.records, e.orders} {
		if f != nil {
			_ = f.Close()
		}
	}
}

// expire ends the reading of what is never closed.
func (e *ends) expire() {
	_ = e.stdout.SetReadDeadline(time.Unix(1, 0))
	_ = e.stderr.SetReadDeadline(time.Unix(1, 0))
	if e.records != nil {
		_ = e.records.SetReadDeadline(time.Unix(1, 0))
	}
}

// outputGrace is how long the harness reads on after the worker's process group is
// gone: only a child that left the group can still hold the output. It takes that long once
// more where the child was killed: what it and the worker had printed is still to be read, by
// readers that a busy machine may not have let run.
const outputGrace = 2 * time.Second

// drain waits until all that a process which is gone has printed is read.
func drain(readers *sync.WaitGroup, in *ends, mark string) {
	drained := make(chan struct{})
	go func() { readers.Wait(); close(drained) }()
	for _, giveUp := range []func(){func() { KillStrays(mark) }, in.expire} {
		select {
		case <-drained:
			return
		case <-time.After(outputGrace):
			giveUp()
		}
	}
	<-drained
}
