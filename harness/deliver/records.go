package deliver

import (
	"context"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/worker"
)

// AtRecord are the faults that [Records] carries out.
var AtRecord = []string{"record fail", "record conflict", "record lose", "record kill-before", "record kill-after", "record hold"}

// Records carries out what the schedule wants at the writes of executors' own stores,
// for any world.
type Records struct {
	// Session numbers the writes, asks the schedule and records.
	Session interface {
		Record(e *harness.Event, actionID string) *harness.Fault
		Fired(f *harness.Fault, e *harness.Event)
		Wrote(e *harness.Event, r harness.Recorded, note string)
	}
	// Kill ends the life that the event names, and reports whether it died of it.
	Kill func(e *harness.Event) bool
	// Hold holds the write until the fault's event, and records how that ended.
	Hold func(ctx context.Context, e *harness.Event, f *harness.Fault)
}

// recordOrders are what the store itself is told to do, and how it says that it did.
var recordOrders = map[string]struct {
	order worker.RecordOrder
	end   worker.RecordEnd
}{
	"fail":     {worker.RecordFail, worker.RecordFailed},
	"conflict": {worker.RecordConflict, worker.RecordConflicted},
	"lose":     {worker.RecordLose, worker.RecordLost},
}

// Write stands at one write. e names worker, incarnation and delivery, and is the
// write's until it returns. It returns [worker.ErrDead] where the life was ended there.
func (x *Records) Write(ctx context.Context, e *harness.Event, r worker.Record, commit func(worker.RecordOrder) worker.RecordEnd) error {
	f := x.Begin(e, &r)
	if f == nil {
		x.Told(e, &r, commit(worker.RecordPass))
		return nil
	}
	return x.Carry(ctx, e, f, &r, commit)
}

// Begin counts a write in its event, and says what strikes it, or nil.
func (x *Records) Begin(e *harness.Event, r *worker.Record) *harness.Fault {
	return x.Session.Record(e, r.ActionID)
}

// Told records what became of a write.
func (x *Records) Told(e *harness.Event, r *worker.Record, end worker.RecordEnd) {
	x.Session.Wrote(e, harness.Recorded{State: r.State, Attempt: r.Attempt}, string(end))
}

// Carry makes the write that began with the event, as the line that strikes it wants.
func (x *Records) Carry(ctx context.Context, e *harness.Event, f *harness.Fault, r *worker.Record, commit func(worker.RecordOrder) worker.RecordEnd) error {
	switch f.Name {
	case "kill-before":
		return x.kill(f, e)
	case "hold":
		x.Hold(ctx, e, f)
	}
	wanted, ordered := recordOrders[f.Name]
	if !ordered {
		wanted.order = worker.RecordPass
	}
	end := commit(wanted.order)
	x.Told(e, r, end)
	switch {
	case ordered && end == wanted.end:
		x.Session.Fired(f, e)
	case f.Name == "kill-after" && end == worker.RecordWritten:
		return x.kill(f, e)
	}
	return nil
}

func (x *Records) kill(f *harness.Fault, e *harness.Event) error {
	if x.Kill(e) {
		x.Session.Fired(f, e)
	}
	return worker.ErrDead
}
