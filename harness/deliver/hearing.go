package deliver

import (
	"slices"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/worker"
)

// AtReport are the faults that a world carries out when it reads a report.
var AtReport = []string{"report lose", "report kill"}

// Hearing is what is heard of one hand-over. It is not safe for concurrent use.
type Hearing struct {
	m         *Message
	reports   []harness.Report
	bad, lost string
}

// Heard is what a hand-over comes to.
type Heard struct {
	// Nack says why the delivery is not acknowledged, and is empty if it is.
	Nack string
	// Waits: an action waits; Review: a person decides.
	Waits, Review bool
	// Parks: whatever waits does so for an approval. Another worker's end does not
	// bring that, nor does time.
	Parks bool
}

// Hear begins to listen to a hand-over of the message.
func Hear(m *Message) *Hearing {
	h := &Hearing{}
	h.Begin(m)
	return h
}

// Begin is [Hear] with a hearing that has ended.
func (h *Hearing) Begin(m *Message) { *h = Hearing{m: m, reports: h.reports[:0]} }

// Report notes a report.
func (h *Hearing) Report(r harness.Report) {
	if old := h.of(r.ActionID); old != nil {
		h.bad = "two reports for one action"
		*old = r
		return
	}
	h.reports = append(h.reports, r)
}

// of is the report of an action, or nil.
func (h *Hearing) of(id string) *harness.Report {
	i := slices.IndexFunc(h.reports, func(r harness.Report) bool { return r.ActionID == id })
	if i < 0 {
		return nil
	}
	return &h.reports[i]
}

// NoReport notes a line that was meant as a report and is none.
func (h *Hearing) NoReport() { h.bad = "a report that is none" }

// Lost notes that what was reported does not acknowledge the delivery.
func (h *Hearing) Lost(why string) { h.lost = why }

// Judge says what the hand-over came to. never: it did not end by itself in time.
func (h *Hearing) Judge(end worker.End, never bool) Heard {
	nack := ""
	x := Heard{Parks: true}
	known := 0
	for i := range h.m.actions {
		a := &h.m.actions[i]
		r := h.of(a.ID)
		if r != nil {
			known++
		}
		switch {
		case r == nil && !h.m.recover && h.m.event == nil && nack == "":
			nack = "no report for " + a.Name
		case r == nil:
		case r.Outcome == harness.NeedsReview:
			x.Review = true
		case r.Outcome == harness.Waiting:
			x.Waits = true
			x.Parks = x.Parks && r.WaitsFor == harness.ForApproval
		}
	}
	if known < len(h.reports) {
		h.bad = "a report for an action that was not handed over"
	}
	switch {
	case h.lost != "":
		return Heard{Nack: h.lost}
	case end.Died && never:
		return Heard{Nack: "it never ended and was killed"}
	case !end.Clean:
		return Heard{Nack: "failed: " + end.Note}
	case h.bad != "":
		return Heard{Nack: h.bad}
	case h.m.event != nil:
		// It asks for no report, and takes none for an answer.
		return Heard{}
	case nack != "":
		return Heard{Nack: nack}
	case x.Waits:
		return Heard{Nack: "waiting", Waits: true, Parks: x.Parks}
	case x.Review:
		return Heard{Nack: "needs review", Review: true}
	}
	return Heard{}
}
