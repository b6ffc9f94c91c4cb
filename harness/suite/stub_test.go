package suite_test

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/retrydrill/drill/harness"
)

// stub is a world without sockets: for each delivery that the schedule names a
// worker sends one create and reports. Its fields say how it misbehaves.
type stub struct {
	mu   sync.Mutex
	seen []harness.Schedule
	// again repeats the effect on every later delivery.
	again bool
	// silent sends nothing; mute reports nothing; twice reports twice.
	silent, mute, twice bool
	// end is a note of the worker's end, bound one of a bound.
	end, bound string
	// warm says that A's create went over a used connection.
	warm bool
	// fail is returned for a trial with faults.
	fail error
	// failAgain is returned for one that is carried out again.
	failAgain error
	// late is by how much trials with faults are late, late0 others; unfired: what was
	// late kept faults from firing.
	late, late0 time.Duration
	unfired     bool
	// hung: a trial with faults hits a bound.
	hung bool
	// fraud: a trial with faults reports another resource than it made.
	fraud bool
	// gate, if not nil, is received from before each trial with faults.
	gate chan struct{}
}

func (w *stub) Close() error { return nil }

func (w *stub) Run(ctx context.Context, s harness.Schedule) (*harness.History, error) {
	w.mu.Lock()
	w.seen = append(w.seen, s)
	w.mu.Unlock()
	if len(s.Faults) > 0 && s.Deliveries() == 1 {
		if w.gate != nil {
			select {
			case <-w.gate:
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			}
		}
		if w.fail != nil {
			return nil, w.fail
		}
		if w.failAgain != nil && s.Limits != harness.DefaultLimits() {
			return nil, w.failAgain
		}
	}
	h := &harness.History{Version: harness.HistoryVersion, Schedule: s}
	add := func(e harness.Event) {
		e.Seq = len(h.Events) + 1
		h.Events = append(h.Events, e)
	}
	attempt := 0
	late := w.late0
	if len(s.Faults) > 0 {
		late = w.late
	}
	slow := late > 0 && harness.Duration(late) >= s.Limits.Matters()
	if slow {
		add(harness.Event{Kind: harness.EvSlow, Late: harness.Duration(late), Note: "drill itself"})
	}
	for _, f := range s.Faults {
		if slow && w.unfired {
			break
		}
		add(harness.Event{Kind: harness.EvFault, Fault: f.String()})
	}
	for d := 1; d <= s.Deliveries(); d++ {
		a := s.Actions[0]
		for _, f := range s.Faults {
			if f.Name == "brings" && f.Where.Counts(d) {
				a, _ = s.Action(f.Actions[0])
			}
		}
		at := harness.Event{Worker: 1, Incarnation: d, Delivery: d}
		with := func(k harness.EventKind) harness.Event {
			e := at
			e.Kind, e.Action = k, a.Name
			return e
		}
		handed := with(harness.EvDeliver)
		handed.Deliver = &harness.Delivered{TriggerKey: a.TriggerKey, Actions: []harness.DeliveredAction{
			{Name: a.Name, ID: a.ID, Digest: a.Arguments.Digest(), Covered: true}}}
		add(handed)
		if !w.silent && (d == 1 || w.again || a.Name != s.Actions[0].Name || s.Deliveries() > 1 && len(s.Faults) > 0) {
			attempt++
			req := with(harness.EvRequest)
			req.Attempt, req.Op, req.N, req.Changes, req.Warm = attempt, harness.CreateOp, attempt, true, w.warm && d > 1
			req.Method, req.Path = "POST", "/things"
			add(req)
			eff := with(harness.EvEffect)
			eff.Attempt, eff.Effect = attempt, &harness.Effect{Seq: attempt, Kind: harness.Do, Resource: "thing_1", Attempt: attempt}
			add(eff)
			told := with(harness.EvPassed)
			told.Attempt, told.Op, told.N, told.Changes, told.Class, told.Resource = attempt, harness.CreateOp, attempt, true, harness.Confirmed, "thing_1"
			add(told)
		}
		if !w.mute {
			rep := with(harness.EvReport)
			rep.Report = &harness.Report{ActionID: a.ID, Outcome: harness.Done, Resource: "thing_1"}
			if w.fraud && len(s.Faults) > 0 {
				rep.Report.Resource = "thing_2"
			}
			add(rep)
			if w.twice {
				add(rep)
			}
		} else {
			log := with(harness.EvLog)
			log.Note = "hello from the worker"
			add(log)
		}
		end := with(harness.EvEnd)
		if end.Note = w.end; end.Note == "" {
			end.Note = "exit 0"
		}
		add(end)
		if w.bound != "" {
			b := with(harness.EvBound)
			b.Note = w.bound
			add(b)
			continue
		}
		add(with(harness.EvAck))
	}
	if w.hung && len(s.Faults) > 0 {
		add(harness.Event{Kind: harness.EvBound, Note: "deliveries"})
	}
	return h, nil
}

var errDisk = errors.New("no space left on device")
