package suite

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/worker"
	"github.com/retrydrill/drill/scenarios"
)

// ControlError is returned when the control shows that the worker can not be
// judged: without any fault it does not do what the worker protocol asks.
type ControlError struct {
	// Reason is one sentence.
	Reason string
	// Given is what the worker was started with and handed.
	Given string
	// Printed are lines of its output that are no report, the last ones.
	Printed []string
	// Ended says how its lives ended.
	Ended []string
	// Page says what is expected.
	Page string
	Err  error
}

// Error tells all of it.
func (e *ControlError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "the control (the same action twice, no fault) can not be judged: %s\n%s", e.Reason, e.Given)
	for _, l := range e.Printed {
		fmt.Fprintf(&b, "\n  printed: %s", l)
	}
	if len(e.Ended) > 0 {
		fmt.Fprintf(&b, "\n  ended:   %s", strings.Join(e.Ended, ", "))
	}
	fmt.Fprintf(&b, "\n  %s says what is expected", e.Page)
	return b.String()
}

// Unwrap returns what the world met, where it met something.
func (e *ControlError) Unwrap() error { return e.Err }

// controls are the two trials that come before all others: the same action twice,
// and another action before it, which shows whether connections are used again.
var controls = []scenarios.Trial{
	{Deliveries: 2},
	{
		Faults:  []harness.Fault{mustFault("deliver#1 brings B"), mustFault("deliver#2 brings A")},
		Actions: map[string]scenarios.Derived{"B": {Like: "A"}},
	},
}

func mustFault(s string) harness.Fault {
	f, err := harness.ParseFault(s)
	if err != nil {
		panic(err)
	}
	return f
}

// control carries out both and returns the abilities that they showed. What was
// carried out is kept by seed: a trial of the same content is not run again.
func (o Options) control(ctx context.Context) (map[string]bool, map[uint64]*carried, error) {
	kept := map[uint64]*carried{}
	shown := map[string]bool{}
	for i := range controls {
		c, err := o.controlled(ctx, i)
		if err != nil {
			return nil, nil, err
		}
		kept[c.history.Schedule.Seed] = c
		show(shown, c.history, i)
	}
	return shown, kept, nil
}

// controlled carries out the i-th control.
func (o Options) controlled(ctx context.Context, i int) (*carried, error) {
	s, err := o.Schedule(controls[i])
	if err != nil {
		return nil, err
	}
	s.Limits.Deliveries = min(s.Limits.Deliveries, controlDeliveries)
	c, err := o.carry(ctx, s)
	if err != nil && (ctx.Err() != nil || c == nil || c.history == nil) {
		return nil, err
	}
	// The second one shows nothing that a worker has to do.
	if err != nil || i == 0 {
		if reason := unjudgeable(c.history); reason != "" {
			return nil, o.controlError(c.history, reason, err)
		}
	}
	return c, err
}

// Judgeable is what comes before a search: the same action twice, without a fault. Its
// errors are those of [Run].
func (o Options) Judgeable(ctx context.Context) error {
	_, err := o.controlled(ctx, 0)
	return err
}

// unjudgeable says why a fault-free history can not be judged, or nothing.
func unjudgeable(h *harness.History) string {
	type hand struct {
		worker, delivery int
		action           string
	}
	var requests, reports, acked int
	var bound, nack string
	started := false
	said := map[hand]int{}
	twice := ""
	for _, e := range h.Events {
		switch e.Kind {
		case harness.EvRequest:
			requests++
		case harness.EvBound:
			bound = e.Note
		case harness.EvAck:
			acked++
		case harness.EvNack:
			nack = e.Note
		case harness.EvEnd:
			started = started || e.Note == "not started"
		case harness.EvReport:
			if e.Report == nil {
				continue
			}
			reports++
			at := hand{e.Worker, e.Delivery, e.Report.ActionID}
			if said[at]++; said[at] == 2 && twice == "" {
				twice = fmt.Sprintf("it printed two reports for one action in delivery %d", e.Delivery)
			}
		}
	}
	switch {
	case started:
		return "it could not be started"
	case twice != "":
		return twice
	}
	var missing []string
	if acked == 0 && bound != "" {
		missing = append(missing, "no delivery was acknowledged: "+cmp.Or(nack, bound))
	}
	if requests == 0 {
		missing = append(missing, "no request reached the target")
	}
	if reports == 0 {
		missing = append(missing, noReport(h.Schedule.Executor))
	}
	return strings.Join(missing, "; ")
}

// noReport is said of a worker that serves, of any other command, and of a function.
func noReport(e harness.Executor) string {
	switch {
	case e.Kind == "serve":
		return "none of its answers was a report, or meant one"
	case len(e.Command) > 0:
		return "it printed no report, one line of JSON for each action"
	}
	return "it made no report"
}

// show notes what the i-th control trial showed.
func show(shown map[string]bool, h *harness.History, i int) {
	acked, again, files := 0, false, 0
	for _, e := range h.Events {
		switch {
		case e.Kind == harness.EvAck:
			acked = e.Delivery
		case e.Kind == harness.EvState:
			files += e.N
		case e.Kind == harness.EvRequest && e.Changes && i == 0 && acked > 0 && e.Delivery > acked:
			again = true
		case e.Kind == harness.EvRequest && e.Changes && i == 1 && e.Action == "A":
			if _, ok := shown["reuses-connections"]; !ok {
				shown["reuses-connections"] = e.Warm
			}
		}
	}
	// It did again what it had reported as done, and left nothing behind. Either
	// alone proves little: a kept key makes the first right, and a record may be
	// kept where drill can not look.
	if again && files == 0 {
		shown["keeps-state"] = false
	}
}

// controlDeliveries bounds how long a worker that never ends holds up the control.
const controlDeliveries = 2

// keptLines is how many lines of a worker's output an error repeats.
const keptLines = 10

func (o Options) controlError(h *harness.History, reason string, err error) *ControlError {
	if err != nil {
		reason += ": " + strings.TrimPrefix(err.Error(), ErrWorld.Error()+": ")
	}
	e := &ControlError{Reason: reason, Given: o.given(h), Page: "docs/worker-protocol.md", Err: err}
	switch {
	case o.Executor.Kind == "serve":
		e.Page = "docs/served-workers.md"
	case len(o.Executor.Command) == 0:
		e.Page = "docs/go-test.md"
	}
	for _, ev := range h.Events {
		switch ev.Kind {
		case harness.EvLog:
			e.Printed = append(e.Printed, printable(ev.Note))
		case harness.EvEnd:
			e.Ended = append(e.Ended, ev.Note)
		}
	}
	if n := len(e.Printed) - keptLines; n > 0 {
		e.Printed = e.Printed[n:]
	}
	return e
}

// printable cuts a line of output, and quotes what a terminal should not get.
func printable(line string) string {
	if len(line) > 200 {
		line = strings.ToValidUTF8(line[:200], "") + "…"
	}
	if strings.ContainsFunc(line, func(r rune) bool { return !unicode.IsPrint(r) && r != '\t' }) {
		return strconv.Quote(line[:min(len(line), 60)])
	}
	return line
}

// given tells what a worker of the control was started with.
func (o Options) given(h *harness.History) string {
	job := worker.Job{Protocol: worker.Protocol, Deliver: worker.DeliverActions, Delivery: 1}
	for _, a := range h.Schedule.Actions {
		job.TriggerKey = a.TriggerKey
		job.Actions = append(job.Actions, worker.JobAction{ActionID: a.ID, BusinessKey: a.BusinessKey, Effect: a.Effect,
			Arguments: a.Arguments, ArgumentsSHA256: a.Arguments.Digest(), Approval: a.Approval})
	}
	in, err := json.Marshal(job)
	if err != nil {
		in = []byte(err.Error())
	}
	if len(o.Executor.Command) == 0 {
		return fmt.Sprintf("  executor: %s\n  handed: %s", ExecutorName(o.Executor), in)
	}
	vars, way := []string{worker.EnvTargetURL, worker.EnvTargetToken, worker.EnvStateDir}, "standard input"
	if o.Executor.Kind == "serve" {
		vars, way = append(vars, worker.EnvPort), "asked over HTTP for"
	}
	return fmt.Sprintf("  command: %s\n  environment: %s and others\n  %s: %s",
		ExecutorName(o.Executor), strings.Join(vars, ", "), way, in)
}
