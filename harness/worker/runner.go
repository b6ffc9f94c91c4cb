package worker

import (
	"context"
	"encoding/json"

	"github.com/retrydrill/drill/harness"
)

// Runner hands deliveries to the executor of one slot. Deliver is called once at
// a time.
type Runner interface {
	// Deliver hands over one delivery and blocks until it ended and everything that
	// it started is gone, but for an incarnation that lives on. It calls the listener from one goroutine.
	Deliver(ctx context.Context, h Handover, on Listener) End
	// Alive reports whether an incarnation is there for the next delivery: one that went
	// on after the last may have ended since.
	Alive() bool
	// Close ends the incarnation, if one is alive.
	Close() error
}

// Handover is one delivery with the surroundings of the worker that gets it.
type Handover struct {
	Env Env
	// Raw is the Job as JSON, in the spelling that the worker sees.
	Raw []byte
	// Job stands in for Raw where a Go function gets it without a wire between.
	Job *Job
	// Extra are environment variables beyond the protocol's, for processes.
	Extra []string
	// Blind leaves DRILL_WORKER and DRILL_DELIVERY out.
	Blind bool
	// Delivery counts the hand-overs of this trigger.
	Delivery int
	// GoesOn: it is for the incarnation that was [Runner.Alive], and for no other one.
	GoesOn bool
	// GivenUp is closed once whoever waits for the executor gives up: the context of a Go
	// function ends, the request to a serve worker is let go, a built-in executor's process
	// gets SIGTERM. Nil is never. A process that reads its job has nobody who waits.
	GivenUp <-chan struct{}
}

// Listener hears what a worker says while it is at work. Any of it may be nil.
type Listener struct {
	// Started is called once a life that can be killed has begun.
	Started func(Mortal)
	// Ready is called once a built-in executor's process has come to its job.
	Ready func()
	// Report is called as soon as a report is read.
	Report func(harness.Report)
	// Log is called for every other line.
	Log func(line string)
}

// Mortal is a life that can be ended, stopped and asked to end from outside.
type Mortal interface {
	// Kill sends SIGKILL to the process group and returns when it is reaped. It
	// reports whether the worker died of it, rather than having ended by itself.
	Kill() bool
	// Pause sends SIGSTOP to the process group and returns when all of it stands, or the
	// worker has ended, which is false. It stands until Resume.
	Pause() bool
	// Resume sends SIGCONT to the process group, and reports whether the worker was there
	// to get it.
	Resume() bool
	// Term sends SIGTERM to the process group, and reports whether the worker was there
	// to get it.
	Term() bool
	// Heard returns once every report that the worker has made by now was handed to the
	// listener.
	Heard()
	// Ended is closed once the worker has ended, of whatever, and is reaped.
	Ended() <-chan struct{}
}

// End says how a delivery ended.
type End struct {
	// Note is "exit 0", "exit 75", "signal SIGKILL", "returned", "error", "answered".
	Note string
	// Clean: the reports count.
	Clean bool
	// Died: the life ended by a signal.
	Died bool
	// Alive: the incarnation goes on after the delivery.
	Alive bool
	// Bytes counts the standard output.
	Bytes int64
	// Err is why it could not be started, or what the executor returned.
	Err error
}

// DecodeJob reads a job as a worker does.
func DecodeJob(raw []byte) (Job, error) {
	var j Job
	err := json.Unmarshal(raw, &j)
	return j, err
}

func (h *Handover) job() (Job, error) {
	if h.Job != nil {
		return *h.Job, nil
	}
	return DecodeJob(h.Raw)
}
