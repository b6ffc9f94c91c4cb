package wire

import (
	"context"
	"errors"
	"strings"
	"sync"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/deliver"
	"github.com/retrydrill/drill/harness/tap"
	"github.com/retrydrill/drill/harness/worker"
)

var errTooLong = errors.New("the delivery took too long")

// hearing is what the harness hears during one hand-over.
type hearing struct {
	t     *trial
	event harness.Event

	mu       sync.Mutex
	heard    *deliver.Hearing
	logLines int
}

// report handles one report as it is read.
func (h *hearing) report(r harness.Report) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if r.ActionID == "" {
		h.heard.NoReport()
		h.logLocked(r.Detail)
		return
	}
	by := tap.By{Worker: h.event.Worker, Incarnation: h.event.Incarnation, Delivery: h.event.Delivery}
	if h.t.dies(by.Worker, by.Incarnation) {
		h.heard.Lost("the worker was killed once it had heard")
		return
	}
	e := h.t.session.Report(by, r)
	h.heard.Report(r)
	f := h.t.session.AtReport(e)
	if f == nil {
		return
	}
	switch f.Name {
	case "lose":
		h.heard.Lost("the report was lost")
		h.t.session.Fired(f, e)
	case "kill":
		h.heard.Lost("the worker was killed when its report was read")
		h.t.kill(by.Worker, by.Incarnation)
		// A worker that had ended by itself in the same instant is as dead, and its
		// report as unheard: the delivery failed either way.
		h.t.session.Fired(f, e)
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

// judge says what the hand-over came to.
func (h *hearing) judge(end worker.End, ctx context.Context) deliver.Heard {
	h.mu.Lock()
	defer h.mu.Unlock()
	if end.Bytes > worker.MaxOutput {
		e := h.event
		e.Kind, e.Note = harness.EvLog, outputCaveat
		h.t.session.Add(e)
	}
	return h.heard.Judge(end, errors.Is(context.Cause(ctx), errTooLong))
}

// outputCaveat is told where a worker printed more than the protocol allows.
const outputCaveat = "more than 1 MiB of output; its reports count, its log is cut"

// maxLogLine and maxLogLines bound what a history keeps of a worker's talk.
const (
	maxLogLine  = 1 << 10
	maxLogLines = 200
)
