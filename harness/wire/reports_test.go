package wire

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/deliver"
	"github.com/retrydrill/drill/harness/tap"
	"github.com/retrydrill/drill/harness/worker"
)

// talker has made a report that nobody has read yet.
type talker struct {
	worker.Mortal
	h *hearing
}

func (l talker) Heard() { l.h.report(harness.Report{ActionID: "act-A", Outcome: harness.Done}) }

func (talker) Kill() bool { return true }

type anyNamer struct{ harness.Namer }

func (anyNamer) Name(harness.RawRequest) *harness.Named { return &harness.Named{Op: harness.CreateOp} }

func (anyNamer) Answer(string, harness.RawAnswer) *harness.Answered { return &harness.Answered{} }

// TestAReportIsReadBeforeTheNextRequest: what a worker printed before it sends a request is on
// record before that, though it came on another pipe.
func TestAReportIsReadBeforeTheNextRequest(t *testing.T) {
	tr := &trial{s: harness.Schedule{Limits: harness.DefaultLimits()}, stirred: make(chan struct{}, 1)}
	tr.target = &tap.Target{Namer: anyNamer{}, Effects: func() []harness.Effect { return nil }, Watch: func(func(harness.Effect)) {},
		Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})}
	tr.boundary.open(t.Context(), tr.s, time.Now(), "")
	begun := make(chan struct{})
	close(begun)
	h := &hearing{t: tr, event: harness.Event{Worker: 1, Incarnation: 1}, heard: deliver.Hear(&deliver.Message{})}
	tr.seats = []*seat{{number: 1, incarnation: 1, process: true, begun: begun, life: talker{h: h}}}
	tr.serve(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/things", strings.NewReader("{}")), h.event)
	var seen []harness.EventKind
	for _, e := range tr.session.Snapshot() {
		seen = append(seen, e.Kind)
	}
	require.Equal(t, []harness.EventKind{harness.EvReport, harness.EvRequest, harness.EvAnswer, harness.EvPassed}, seen)
}
