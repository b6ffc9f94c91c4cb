package worker

import (
	"context"
	"os/exec"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"
)

// process is a started worker until it is reaped.
type process struct {
	pid    int
	reaped chan struct{}
	// out is where it prints its reports; nil where it prints none.
	out *said
	// struck: somebody has begun to kill it. killed: it died of that; it stands once the
	// process is reaped.
	struck atomic.Bool
	killed bool
}

// Kill implements Mortal.
func (p *process) Kill() bool {
	if p.gone() {
		return false
	}
	p.struck.Store(true)
	killGroup(p.pid)
	<-p.reaped
	return p.killed
}

// look is how often a group is looked at until all of it stands: the kernel tells nobody
// but the parents of its processes.
const look = 200 * time.Microsecond

// Pause implements Mortal.
func (p *process) Pause() bool {
	if p.gone() || !signalGroup(p.pid, sigStop) {
		return false
	}
	again := time.NewTicker(look)
	defer again.Stop()
	for !allStand(p.pid) {
		select {
		case <-again.C:
		case <-p.reaped:
			return false
		}
	}
	return !p.gone()
}

// Resume implements Mortal.
func (p *process) Resume() bool { return !p.gone() && signalGroup(p.pid, sigCont) }

// Term implements Mortal. One that has ended takes signals until it is reaped.
func (p *process) Term() bool {
	return !p.gone() && !dying(p.pid) && signalGroup(p.pid, syscall.SIGTERM)
}

// Heard implements Mortal.
func (p *process) Heard() {
	if p.out != nil {
		p.out.through()
	}
}

// Ended implements Mortal.
func (p *process) Ended() <-chan struct{} { return p.reaped }

func (p *process) gone() bool {
	select {
	case <-p.reaped:
		return true
	default:
		return false
	}
}

// wait waits for the leader, kills what is left of its group while the leader's
// PID still keeps the group's number, and reaps it.
func (p *process) wait(cmd *exec.Cmd) {
	if ended(p.pid) {
		killGroup(p.pid)
	}
	_ = cmd.Wait()
	ws, known := cmd.ProcessState.Sys().(syscall.WaitStatus)
	p.killed = known && ws.Signaled() && ws.Signal() == syscall.SIGKILL
	close(p.reaped)
}

// bound asks the process to end once its caller gives up, and ends it with the context.
func (p *process) bound(ctx context.Context, givenUp, ended <-chan struct{}) {
	for up := givenUp; ; up = nil {
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
}

func (p *process) end(cmd *exec.Cmd, bytes int64) End {
	ws := cmd.ProcessState.Sys().(syscall.WaitStatus)
	end := End{Bytes: bytes}
	if ws.Signaled() {
		end.Note, end.Died = "signal "+signalName(ws.Signal()), true
		return end
	}
	end.Note = "exit " + strconv.Itoa(ws.ExitStatus())
	end.Clean = ws.ExitStatus() == 0
	return end
}
