package wire_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/worker"
)

// listener makes a thing for each action and keeps what it hears.
type listener struct {
	mu    sync.Mutex
	heard []worker.Job
	// onEvent ends a hand-over of a notice; nil acknowledges.
	onEvent func(env worker.Env, j worker.Job, report func(harness.Report)) error
}

func (l *listener) run(ctx context.Context, env worker.Env, j worker.Job, report func(harness.Report)) error {
	if j.Deliver == worker.DeliverEvent {
		l.mu.Lock()
		l.heard = append(l.heard, j)
		l.mu.Unlock()
		if l.onEvent == nil {
			return nil
		}
		return l.onEvent(env, j, report)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, env.TargetURL+"/things", strings.NewReader(`{"thing":"A"}`))
	if err != nil {
		return err
	}
	resp, err := env.Client().Do(req)
	if err != nil {
		return err
	}
	_ = resp.Body.Close()
	for _, a := range j.Actions {
		report(harness.Report{ActionID: a.ActionID, Outcome: harness.Done, Resource: "thing_1"})
	}
	return nil
}

// heardIn runs the lines and returns what was handed over.
func heardIn(t *testing.T, l *listener, lines ...string) (*harness.History, []worker.Job) {
	t.Helper()
	// Nobody gives up: what is told when depends on the lines alone.
	return heardWithin(t, patience, l, lines...)
}

// heardWithin is heardIn with a deadline of the listener's calls.
func heardWithin(t *testing.T, deadline time.Duration, l *listener, lines ...string) (*harness.History, []worker.Job) {
	t.Helper()
	r := newRig(t, map[string]worker.Func{"w": l.run})
	s := schedule(t, "func", "w", lines...)
	s.Limits.Lease, s.Limits.ClientDeadline = harness.Duration(20*millisecond), harness.Duration(deadline)
	h, _ := r.run(s)
	return h, l.heard
}

const millisecond = 1_000_000

// place is where the n-th event of a kind stands in the history, 0 where there is none.
func place(h *harness.History, k harness.EventKind, n int) int {
	if es := events(h, k); len(es) >= n {
		return es[n-1].Seq
	}
	return 0
}

// handed are the hand-overs of notices.
func handed(h *harness.History) (out []harness.Event) {
	for _, e := range events(h, harness.EvDeliver) {
		if e.Deliver.Event != nil {
			out = append(out, e)
		}
	}
	return out
}

// TestNotices: each line strikes the notice that it names, once, and nothing else.
func TestNotices(t *testing.T) {
	first := worker.Event{ID: "evt_1", Type: "thing.created", ResourceID: "thing_1", BusinessKey: "shelf", Reference: "act-A"}
	for _, c := range []struct {
		line    string
		workers []int
	}{
		{"event#1 early", []int{2}},
		{"event#1 late", []int{1}},
		{"event#1 lose", nil},
		{"event#1 twice", []int{1, 1}},
		{"event#1@A twice", []int{1, 1}},
		{"event#1@w1 early", []int{2}},
	} {
		t.Run(c.line, func(t *testing.T) {
			h, heard := heardIn(t, &listener{}, c.line)
			fired(t, h)
			require.Len(t, events(h, harness.EvFault), 1)
			require.Len(t, heard, len(c.workers))
			for _, j := range heard {
				require.Equal(t, first, *j.Event)
				require.Empty(t, j.Actions)
				require.Equal(t, 1, j.Delivery, "each is a first hand-over")
			}
			var workers []int
			for _, e := range handed(h) {
				workers = append(workers, e.Worker)
				require.Equal(t, 1, e.Delivery, "it takes no delivery's number")
			}
			require.Equal(t, c.workers, workers)
			told := events(h, harness.EvNotice)
			require.Len(t, told, 1)
			require.Equal(t, "A", told[0].Action)
			require.Len(t, events(h, harness.EvAck), 1+len(c.workers))
		})
	}
}

// TestNoticeOfAnother: a line about another action's notices strikes none of these.
func TestNoticeOfAnother(t *testing.T) {
	h, heard := heardIn(t, &listener{}, "event#1@B lose?")
	require.Empty(t, events(h, harness.EvFault))
	require.Len(t, heard, 1)
}

// TestNoticeStruckAlone: a line strikes the notice of its number, the others come as
// they are, and the deliveries keep their numbers.
func TestNoticeStruckAlone(t *testing.T) {
	h, heard := heardIn(t, &listener{}, "event#2 new-id", "deliver#2 respell")
	fired(t, h)
	var ids []string
	for _, j := range heard {
		ids = append(ids, j.Event.ID)
	}
	require.Len(t, ids, 3)
	require.Equal(t, []string{"evt_1", "evt_2"}, ids[:2])
	require.NotContains(t, ids[:2], ids[2])
	require.Equal(t, heard[1].Event.ResourceID, heard[2].Event.ResourceID)
}

// TestForeignNotice: it tells of a resource that is nobody's here, on the same record,
// before the answer; no effect is planted, and ours comes after it.
func TestForeignNotice(t *testing.T) {
	h, heard := heardIn(t, &listener{}, "event#1 foreign")
	fired(t, h)
	require.Len(t, heard, 2)
	e := heard[0].Event
	require.Equal(t, "shelf", e.BusinessKey)
	require.NotEqual(t, "thing_1", e.ResourceID)
	require.Empty(t, e.Reference)
	require.Equal(t, "act-A", heard[1].Event.Reference)
	require.Len(t, events(h, harness.EvEffect), 1)
	require.True(t, handed(h)[0].Deliver.Event.Foreign)
	require.False(t, handed(h)[1].Deliver.Event.Foreign)
}

// TestNoticeMoments: early is between the commit and the answer, the usual moment is
// after the delivery and before the next, late after all deliveries.
func TestNoticeMoments(t *testing.T) {
	h, _ := heardIn(t, &listener{}, "event#1 early", "deliver#2 respell")
	fired(t, h)
	require.Greater(t, handed(h)[0].Seq, place(h, harness.EvEffect, 1))
	require.Greater(t, place(h, harness.EvAck, 1), handed(h)[0].Seq)
	require.Greater(t, place(h, harness.EvPassed, 1), place(h, harness.EvAck, 1), "the answer waits for the end of the hand-over")

	h, _ = heardIn(t, &listener{}, "event#1 twice", "deliver#2 respell")
	fired(t, h)
	require.Greater(t, handed(h)[0].Seq, place(h, harness.EvReport, 1))
	require.Less(t, handed(h)[1].Seq, place(h, harness.EvReport, 2), "before the second delivery")

	h, _ = heardIn(t, &listener{}, "event#1 late", "deliver#2 respell")
	fired(t, h)
	require.Greater(t, handed(h)[len(handed(h))-1].Seq, place(h, harness.EvReport, 2))
}

// TestNoticeOfALateRequest: what is committed when every delivery is over is told too,
// and the trial waits for it.
func TestNoticeOfALateRequest(t *testing.T) {
	h, heard := heardWithin(t, 300*millisecond, &listener{}, "create#1 request delay 500ms", "event#1 twice?", "create#2.. request status 503?")
	require.Len(t, events(h, harness.EvEffect), 1)
	require.Len(t, heard, 2)
	for _, n := range notes(h, harness.EvBound) {
		require.NotContains(t, n, "a request did not come")
	}
}

// TestEarlyThenLost: the notice is heard of, and then the answer that it overtook is
// lost.
func TestEarlyThenLost(t *testing.T) {
	h, heard := heardIn(t, &listener{}, "event#1 early", "create#1 response close")
	fired(t, h)
	require.Greater(t, place(h, harness.EvLost, 1), handed(h)[0].Seq)
	require.Len(t, heard, 2, "the repeat makes a thing too, and that is told as well")
}

// TestNoticesOnlyWhereMeant: without a line at an event nobody is handed one.
func TestNoticesOnlyWhereMeant(t *testing.T) {
	h, heard := heardIn(t, &listener{}, "deliver#2 respell")
	require.Empty(t, heard)
	require.Empty(t, events(h, harness.EvNotice))
}

// TestNoticeNotAcknowledged: an executor that never acknowledges is handed the notice
// again, to the bound, and that one is told.
func TestNoticeNotAcknowledged(t *testing.T) {
	h, heard := heardIn(t, &listener{onEvent: func(worker.Env, worker.Job, func(harness.Report)) error { return errors.New("busy") }}, "event#1 late")
	require.Len(t, heard, h.Schedule.Limits.Deliveries)
	for i, j := range heard {
		require.Equal(t, i+1, j.Delivery)
	}
	require.Equal(t, []string{"deliveries of a notice"}, notes(h, harness.EvBound))
	require.Len(t, events(h, harness.EvFault), 1, "a line fires once, whatever comes again")
}

// TestNoticeReport: a report about an action is one of that action; one about nothing
// that was handed over fails the hand-over.
func TestNoticeReport(t *testing.T) {
	says := func(id string) *listener {
		return &listener{onEvent: func(_ worker.Env, _ worker.Job, report func(harness.Report)) error {
			report(harness.Report{ActionID: id, Outcome: harness.NeedsReview})
			return nil
		}}
	}
	h, heard := heardIn(t, says("act-A"), "event#1 late")
	require.Len(t, heard, 1)
	reports := events(h, harness.EvReport)
	require.Len(t, reports, 2)
	require.Equal(t, "A", reports[1].Action)

	h, heard = heardIn(t, says("act-Z"), "event#1 late")
	require.Len(t, heard, h.Schedule.Limits.Deliveries)
	require.Contains(t, notes(h, harness.EvNack), "a report for an action that was not handed over")
}

// TestNoticeToProcess: a process reads the notice on its standard input.
func TestNoticeToProcess(t *testing.T) {
	r := newRig(t, nil)
	h, _ := r.run(shell(t, `job=$(cat); case "$job" in *'"deliver":"event"'*) echo "$job";; *) `+post+reportDone+`;; esac`, "event#1 late"))
	fired(t, h)
	logs := notes(h, harness.EvLog)
	require.Len(t, logs, 1)
	require.JSONEq(t, `{"protocol":1,"deliver":"event","delivery":1,"trigger_key":"","actions":[],"event":{"id":"evt_1","type":"thing.created",
		"resource_id":"thing_1","business_key":"shelf","reference":"act-A"}}`, logs[0])
}

// TestNoticeClash: one line strikes a notice, so that a second one never could.
func TestNoticeClash(t *testing.T) {
	clash, both := schedule(t, "func", "w", "event#1..2 early", "event#2 late"), schedule(t, "func", "w", "event#1 early", "event#2 late")
	require.ErrorContains(t, clash.Validate(), "strikes wherever")
	require.NoError(t, both.Validate())
}
