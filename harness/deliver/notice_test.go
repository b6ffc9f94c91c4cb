package deliver

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/worker"
)

// noticed is a schedule of one action with the given lines.
func noticed(t *testing.T, lines ...string) *harness.Schedule {
	t.Helper()
	args := harness.Arguments{"amount": int64(1)}
	s := &harness.Schedule{Version: harness.ScheduleVersion, Limits: harness.DefaultLimits(), Actions: []harness.Action{{Name: "A", ID: "act-A",
		TriggerKey: "trig", Arguments: args, Approval: harness.Approval{Status: harness.Granted, ArgumentsSHA256: args.Digest()}}}}
	for _, l := range lines {
		f, err := harness.ParseFault(l)
		require.NoError(t, err)
		s.Faults = append(s.Faults, f)
	}
	return s
}

var paid = harness.Notice{ID: "evt_1", Type: "paid", Op: "create", Resource: "pay_1", BusinessKey: "cus_1", Reference: "act-A", Attempt: 1}

// brought is a notice as a worker reads it.
func brought(t *testing.T, h *Hand) worker.Event {
	t.Helper()
	raw, err := h.Message.Raw(1)
	require.NoError(t, err)
	job, err := worker.DecodeJob(raw)
	require.NoError(t, err)
	require.Equal(t, worker.DeliverEvent, job.Deliver)
	require.Empty(t, job.Actions)
	require.NotContains(t, string(raw), "foreign", "nothing tells a stranger's notice apart but what it says")
	return *job.Event
}

// TestNotices: each word shapes who is told, when, and of what.
func TestNotices(t *testing.T) {
	never := func(harness.Where) bool { return false }
	start := time.Duration(0)
	for _, c := range []struct {
		line string
		// at once is the worker that is told while the first is at work, 0 for none.
		atOnce int
		// then are the IDs that the first worker is told afterwards, after how long.
		then []string
		late bool
		lost bool
	}{
		{"event#1 early", 2, nil, false, false},
		{"event#1 late", 0, []string{"evt_1"}, true, false},
		{"event#1 lose", 0, nil, false, true},
		{"event#1 twice", 0, []string{"evt_1", "evt_1"}, false, false},
		{"event#1 new-id", 0, []string{"evt_1", "other"}, false, false},
		{"event#1 foreign", 2, []string{"evt_1"}, false, false},
		{"event#2 lose?", 0, []string{"evt_1"}, false, false},
	} {
		t.Run(c.line, func(t *testing.T) {
			s := noticed(t, c.line)
			require.True(t, Tells(s))
			q := NewQueue(s)
			first, _, err := q.Next(start, never)
			require.NoError(t, err)
			require.Equal(t, 1, first.Worker)
			var line *harness.Fault
			if f := &s.Faults[0]; f.Where.Counts(1) {
				line = f
			}
			telling := q.Tell(paid, line, start)
			require.Equal(t, c.lost, telling.Lost)
			require.Equal(t, c.atOnce > 0, telling.Before != nil, "the answer waits")
			now := start
			struck := 0
			if c.atOnce > 0 {
				h, _, err := q.Next(now, never)
				require.NoError(t, err)
				require.NotNil(t, h)
				require.Equal(t, []int{c.atOnce, 1}, []int{h.Worker, h.Delivery})
				e := brought(t, h)
				if c.line == "event#1 foreign" {
					require.Empty(t, e.Reference)
					require.NotEqual(t, "pay_1", e.ResourceID)
					require.Equal(t, "cus_1", e.BusinessKey)
				} else {
					require.Equal(t, worker.Event{ID: "evt_1", Type: "paid", ResourceID: "pay_1", BusinessKey: "cus_1", Reference: "act-A"}, e)
				}
				struck += len(h.Lines)
				q.End(Ended{Hand: h}, now)
				select {
				case <-telling.Before:
					t.Fatal("the answer goes on before the end of the hand-over is recorded")
				default:
				}
				h.Over()
				<-telling.Before
			}
			h, _, err := q.Next(now, never)
			require.NoError(t, err)
			require.Nil(t, h, "the first worker is at work")
			q.End(Ended{Hand: first}, now)
			for _, id := range c.then {
				h, wait, err := q.Next(now, never)
				require.NoError(t, err)
				if c.late {
					require.Nil(t, h)
					require.Equal(t, s.Limits.Visibility(), wait.For)
					now += wait.For
					h, _, err = q.Next(now, never)
					require.NoError(t, err)
				}
				require.NotNil(t, h)
				require.Equal(t, 1, h.Worker)
				e := brought(t, h)
				if id == "other" {
					require.NotEqual(t, "evt_1", e.ID)
				} else {
					require.Equal(t, id, e.ID)
				}
				struck += len(h.Lines)
				heard := Hear(h.Message)
				require.Empty(t, heard.Judge(worker.End{Clean: true}, false).Nack, "a notice needs no report")
				q.End(Ended{Hand: h}, now)
			}
			if !c.lost && !s.Faults[0].Optional {
				require.Equal(t, 1, struck, "the line strikes once")
			}
			require.True(t, q.Done())
		})
	}
}

// TestNoticesAreBounded: a worker that takes each for an order is not told for ever.
func TestNoticesAreBounded(t *testing.T) {
	q := NewQueue(noticed(t, "event#1 twice"))
	bounds := 0
	for range 3 * maxNotices {
		if q.Tell(paid, nil, 0).Bound != "" {
			bounds++
		}
	}
	require.Equal(t, 1, bounds)
	require.LessOrEqual(t, len(q.messages), maxNotices+1)
}

// TestADeliveredNotice is told in the history, with what only the harness knows.
func TestADeliveredNotice(t *testing.T) {
	s := noticed(t, "event#1 foreign")
	q := NewQueue(s)
	q.Tell(paid, &s.Faults[0], 0)
	d := q.ready[0].Message.Delivered(&harness.Delivered{}, nil, nil)
	require.True(t, d.Event.Foreign)
	require.Empty(t, d.Actions)
	b, err := json.Marshal(d)
	require.NoError(t, err)
	require.Contains(t, string(b), `"event"`)
}

// TestReportsUnderEarlierIDs: a notice, or a recovery, comes to whoever kept the action
// under the ID by which it was handed over first, and that is what it reports.
func TestReportsUnderEarlierIDs(t *testing.T) {
	never := func(harness.Where) bool { return false }
	for _, c := range []struct {
		second string
		last   string
	}{
		{"deliver#2 new-action", "event#1 late"},
		{"deliver#2 brings B", "event#1 late"},
		{"deliver#2 new-action", "deliver#3 recover"},
		{"deliver#2 brings B", "deliver#3 recover"},
	} {
		t.Run(c.second+"; "+c.last, func(t *testing.T) {
			s := noticed(t, c.second, c.last)
			b := s.Actions[0]
			b.Name, b.ID, b.TriggerKey = "B", "act-B", "trig-B"
			s.Actions = append(s.Actions, b)
			q := NewQueue(s)
			now := time.Duration(0)
			for range 2 {
				h, _, err := q.Next(now, never)
				require.NoError(t, err)
				require.NotNil(t, h)
				if h.Delivery == 1 && c.last == "event#1 late" {
					q.Tell(paid, &s.Faults[1], now)
				}
				q.End(Ended{Hand: h}, now)
			}
			now += s.Limits.Visibility()
			h, _, err := q.Next(now, never)
			require.NoError(t, err)
			require.NotNil(t, h)
			for id, nack := range map[string]string{"act-A": "", "nobody": "a report for an action that was not handed over"} {
				heard := Hear(h.Message)
				heard.Report(harness.Report{ActionID: id, Outcome: harness.Done})
				require.Equal(t, nack, heard.Judge(worker.End{Clean: true}, false).Nack, id)
			}
		})
	}
}
