package wire

import (
	"context"
	"errors"
	"strings"
	"sync"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/worker"
)

var errTooLong = errors.New("the delivery took too long")

// hearing is what the harness hears during one hand-over.
type hearing struct {
	t     *trial
	seat  *seat
	m     *message
	event harness.Event

	mu       sync.Mutex
	reports  map[string]harness.Report
	bad      string
	lost     string
	logLines int
}

// report handles one report as it is read.
func (h *hearing) report(r harness.Report) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if r.ActionID == "" {
		h.bad = "a report that is none"
		h.logLocked(r.Detail)
		return
	}
	e := h.event
	e.Kind, e.Report = harness.EvReport, &r
	e = h.t.session.Report(e)
	if h.reports == nil {
		h.reports = map[string]harness.Report{}
	}
	if _, twice := h.reports[r.ActionID]; twice {
		h.bad = "two reports for one action"
	}
	h.reports[r.ActionID] = r
	f := h.t.session.AtReport(e)
	if f == nil {
		return
	}
	switch f.Name {
	case "lose":
		h.lost = "the report was lost"
		h.t.session.Fired(*f, e)
	case "kill":
		h.lost = "the worker was killed when its report was read"
		h.t.kill(e.Worker, e.Incarnation)
		// A worker that had ended by itself in the same instant is as dead, and its
		// report as unheard: the delivery failed either way.
		h.t.session.Fired(*f, e)
	}
}

func (h *hearing) log(line string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.logLocked(line)
}

func (h *hearing) logLocked(line string) {
	h.logLines++
	if h.logLines > maxLogLines || strings.TrimSpace(line) == "" {
		return
	}
	e := h.event
	e.Kind, e.Note = harness.EvLog, line[:min(len(line), maxLogLine)]
	h.t.session.Add(e)
}

// log records a line outside of a hand-over's own output.
func (t *trial) log(s *seat, line string) {
	e := harness.Event{Kind: harness.EvLog, Worker: s.number, Note: strings.TrimSpace(line[:min(len(line), maxLogLine)])}
	if b := s.slot.bound.Load(); b != nil {
		e.Incarnation, e.Delivery = b.incarnation, b.delivery
	}
	t.session.Add(e)
}

// judge says why the delivery is not acknowledged, or nothing if it is.
func (h *hearing) judge(end worker.End, ctx context.Context) (nack string, waits, review bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if end.Bytes > worker.MaxOutput {
		e := h.event
		e.Kind, e.Note = harness.EvLog, outputCaveat
		h.t.session.Add(e)
	}
	known := map[string]bool{}
	for _, a := range h.m.actions {
		known[a.ID] = true
		r, ok := h.reports[a.ID]
		switch {
		case !ok && !h.m.recover && nack == "":
			nack = "no report for " + a.Name
		case r.Outcome == harness.NeedsReview:
			review = true
		case r.Outcome == harness.Waiting:
			waits = true
		}
	}
	for id := range h.reports {
		if !known[id] {
			h.bad = "a report for an action that was not handed over"
		}
	}
	switch {
	case h.lost != "":
		return h.lost, false, false
	case end.Died && errors.Is(context.Cause(ctx), errTooLong):
		return "it never ended and was killed", false, false
	case !end.Clean:
		return "failed: " + end.Note, false, false
	case h.bad != "":
		return h.bad, false, false
	case nack != "":
		return nack, false, false
	case waits:
		return "waiting", true, false
	case review:
		return "needs review", false, true
	}
	return "", false, false
}

// outputCaveat is told where a worker printed more than the protocol allows.
const outputCaveat = "more than 1 MiB of output; its reports count, its log is cut"
