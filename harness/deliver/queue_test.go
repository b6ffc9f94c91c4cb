package deliver_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/deliver"
	"github.com/retrydrill/drill/harness/worker"
)

func schedule(t *testing.T, lines ...string) *harness.Schedule {
	t.Helper()
	s := &harness.Schedule{Version: harness.ScheduleVersion, Limits: harness.DefaultLimits()}
	for _, n := range []string{"A", "B"} {
		args := harness.Arguments{"thing": n, "list": []any{int64(1)}}
		s.Actions = append(s.Actions, harness.Action{Name: n, ID: "act-" + n, TriggerKey: "trig-" + n, BusinessKey: "shelf", Effect: "thing", Arguments: args,
			Approval: harness.Approval{ID: "ok-" + n, ArgumentsSHA256: args.Digest(), PolicyVersion: "1", Status: harness.Granted, ValidUntil: "2099-01-01T00:00:00Z"}})
	}
	for _, l := range lines {
		f, err := harness.ParseFault(l)
		require.NoError(t, err)
		s.Faults = append(s.Faults, f)
	}
	return s
}

// clock is a queue on a clock of its own.
type clock struct {
	*deliver.Queue
	t        *testing.T
	now      time.Duration
	happened map[string]bool
}

func newClock(t *testing.T, lines ...string) *clock {
	return &clock{deliver.NewQueue(schedule(t, lines...)), t, 0, map[string]bool{}}
}

func (c *clock) next() (*deliver.Hand, deliver.Wait) {
	c.t.Helper()
	h, w, err := c.Next(c.now, func(w harness.Where) bool { return c.happened[w.String()] })
	require.NoError(c.t, err)
	return h, w
}

// due is the hand-over that has to be there.
func (c *clock) due() *deliver.Hand {
	c.t.Helper()
	h, _ := c.next()
	require.NotNil(c.t, h)
	return h
}

// idle asserts that nothing is due, and returns what is waited for.
func (c *clock) idle() deliver.Wait {
	c.t.Helper()
	h, w := c.next()
	require.Nil(c.t, h)
	return w
}

func (c *clock) end(h *deliver.Hand, x deliver.Heard, died bool) []deliver.Told {
	return c.End(deliver.Ended{Hand: h, Heard: x, Incarnation: 1, Died: died}, c.now)
}

func TestRedelivery(t *testing.T) {
	failed := deliver.Heard{Nack: "failed"}
	visibility := harness.DefaultLimits().Visibility()
	t.Run("after the visibility time-out", func(t *testing.T) {
		c := newClock(t)
		c.end(c.due(), failed, false)
		require.Equal(t, visibility, c.idle().For)
		c.now += visibility
		require.Equal(t, 2, c.due().Delivery)
	})
	t.Run("at once after a death", func(t *testing.T) {
		c := newClock(t)
		c.end(c.due(), failed, true)
		h := c.due()
		require.Equal(t, []int{2, 1}, []int{h.Delivery, h.Worker})
	})
	t.Run("until they are used up", func(t *testing.T) {
		c := newClock(t)
		var last []deliver.Told
		for range harness.DefaultLimits().Deliveries {
			last = c.end(c.due(), failed, true)
		}
		require.True(t, c.Done())
		require.Equal(t, harness.EvBound, last[len(last)-1].Kind)
	})
	t.Run("review is final then", func(t *testing.T) {
		c := newClock(t)
		var last []deliver.Told
		for range harness.DefaultLimits().Deliveries {
			last = c.end(c.due(), deliver.Heard{Nack: "needs review", Review: true}, true)
		}
		require.True(t, c.Done())
		require.Equal(t, harness.EvNack, last[len(last)-1].Kind)
	})
	t.Run("acknowledged is the end", func(t *testing.T) {
		c := newClock(t)
		require.Equal(t, harness.EvAck, c.end(c.due(), deliver.Heard{}, false)[0].Kind)
		require.True(t, c.Done())
	})
}

// TestWhoWaitsGoesOn as soon as another has ended, and not because one that waits too
// has.
func TestWhoWaitsGoesOn(t *testing.T) {
	waits := deliver.Heard{Nack: "waiting", Waits: true}
	c := newClock(t, "deliver#1 times 3")
	one, two, three := c.due(), c.due(), c.due()
	require.Equal(t, [][]int{{1, 2, 3}, nil, nil}, [][]int{one.Together, two.Together, three.Together})
	require.Equal(t, []int{1, 2, 3}, []int{one.Worker, two.Worker, three.Worker})
	c.end(two, waits, false)
	c.end(three, waits, false)
	c.idle()
	c.end(one, deliver.Heard{}, false)
	require.Equal(t, []int{2, 3}, []int{c.due().Worker, c.due().Worker})
}

// TestAt: another worker gets it at the event, while the one before is at work; an
// event that did not come then is told by the line that is not carried out.
func TestAt(t *testing.T) {
	c := newClock(t, "deliver#2 at create#1 request")
	c.due()
	require.Equal(t, "create#1 request", c.idle().At.String())
	c.happened["create#1 request"] = true
	two := c.due()
	require.Equal(t, []int{2, 2}, []int{two.Worker, two.Delivery})
	require.True(t, two.Has("at"))
	require.False(t, c.Done())

	c = newClock(t, "deliver#2 at create#1 request")
	one := c.due()
	c.end(one, deliver.Heard{}, false)
	late := c.due()
	require.Equal(t, 1, late.Worker)
	require.False(t, late.Has("at"))
	require.Equal(t, []string{"deliver#2 at create#1 request"}, late.How)
}

// TestAfter: the next planned one waits for the schedule's span, or for the visibility
// time-out where the one before was neither acknowledged nor dead.
func TestAfter(t *testing.T) {
	c := newClock(t, "deliver#2 after 7s")
	c.end(c.due(), deliver.Heard{}, false)
	require.Equal(t, 7*time.Second, c.idle().For)
	c.now += 7 * time.Second
	require.True(t, c.due().Has("after"))

	c = newClock(t, "deliver#2 respell")
	c.end(c.due(), deliver.Heard{Nack: "failed"}, false)
	require.Equal(t, harness.DefaultLimits().Visibility(), c.idle().For)
}

// TestOneJob: what a Go function is handed is what a process reads, however it is
// spelled.
func TestOneJob(t *testing.T) {
	for _, line := range []string{"deliver#1 respell", "deliver#1 brings A, B", "deliver#1 answer yes", "deliver#1 recover", "deliver#1 new-action",
		`deliver#1 change /thing="\u00e9<\u2028"`, "deliver#1 approval none"} {
		m := newClock(t, line).due().Message
		raw, err := m.Raw(3)
		require.NoError(t, err)
		read, err := worker.DecodeJob(raw)
		require.NoError(t, err)
		require.Equal(t, m.Job(3), read, line)
	}
}

// TestARecoveryBringsNothing: what shapes the next hand-over has no hold on a recovery that
// is begun again.
func TestARecoveryBringsNothing(t *testing.T) {
	c := newClock(t, "deliver#1 recover", "deliver#2 change")
	c.end(c.due(), deliver.Heard{Nack: "failed"}, true)
	again := c.due()
	require.Equal(t, worker.DeliverRecover, again.Message.Job(2).Deliver)
}

// TestEquivalent: the other spelling is handed over under the digest of the normal form,
// in both ways alike; an action that has none is refused.
func TestEquivalent(t *testing.T) {
	s := schedule(t, "deliver#1 equivalent")
	never := func(harness.Where) bool { return false }
	_, _, err := deliver.NewQueue(s).Next(0, never)
	require.ErrorContains(t, err, `fault "deliver#1 equivalent": action A says no other spelling of its arguments`)
	s.Actions[0].Spelled = harness.Arguments{"thing": "A, otherwise"}
	h, _, err := deliver.NewQueue(s).Next(0, never)
	require.NoError(t, err)
	job := h.Message.Job(1)
	require.Equal(t, s.Actions[0].Spelled, job.Actions[0].Arguments)
	require.Equal(t, s.Actions[0].Arguments.Digest(), job.Actions[0].ArgumentsSHA256)
	raw, err := h.Message.Raw(1)
	require.NoError(t, err)
	read, err := worker.DecodeJob(raw)
	require.NoError(t, err)
	require.Equal(t, job, read)
}

// TestTheJobIsTheWorkersOwn: what it does to the arguments changes no later delivery.
func TestTheJobIsTheWorkersOwn(t *testing.T) {
	m := newClock(t).due().Message
	m.Job(1).Actions[0].Arguments["thing"] = "else"
	require.Equal(t, "A", m.Job(2).Actions[0].Arguments["thing"])
}

func TestHearing(t *testing.T) {
	clean := worker.End{Note: "returned", Clean: true}
	said := func(id string, o harness.Outcome) harness.Report { return harness.Report{ActionID: id, Outcome: o} }
	for _, c := range []struct {
		name    string
		reports []harness.Report
		end     worker.End
		never   bool
		want    deliver.Heard
	}{
		{"done", []harness.Report{said("act-A", harness.Done)}, clean, false, deliver.Heard{}},
		{"rejected", []harness.Report{said("act-A", harness.Rejected)}, clean, false, deliver.Heard{}},
		{"nothing", nil, clean, false, deliver.Heard{Nack: "no report for A"}},
		{"twice", []harness.Report{said("act-A", harness.Done), said("act-A", harness.Done)}, clean, false, deliver.Heard{Nack: "two reports for one action"}},
		{"another's", []harness.Report{said("act-A", harness.Done), said("act-B", harness.Done)}, clean, false,
			deliver.Heard{Nack: "a report for an action that was not handed over"}},
		{"waiting", []harness.Report{said("act-A", harness.Waiting)}, clean, false, deliver.Heard{Nack: "waiting", Waits: true}},
		{"review", []harness.Report{said("act-A", harness.NeedsReview)}, clean, false, deliver.Heard{Nack: "needs review", Review: true}},
		{"failed", []harness.Report{said("act-A", harness.Done)}, worker.End{Note: "exit 1"}, false, deliver.Heard{Nack: "failed: exit 1"}},
		{"endless", nil, worker.End{Note: "killed", Died: true}, true, deliver.Heard{Nack: "it never ended and was killed"}},
	} {
		h := deliver.Hear(newClock(t).due().Message)
		for _, r := range c.reports {
			h.Report(r)
		}
		require.Equal(t, c.want, h.Judge(c.end, c.never), c.name)
	}
	h := deliver.Hear(newClock(t).due().Message)
	h.Report(said("act-A", harness.Done))
	h.Lost("the report was lost")
	require.Equal(t, deliver.Heard{Nack: "the report was lost"}, h.Judge(clean, false))
}

// TestApprovedAnew: a new approval after one that was denied is a granted one, also of
// an action that comes under another ID.
func TestApprovedAnew(t *testing.T) {
	for _, lines := range [][]string{
		{"deliver#1 approval denied", "deliver#2 re-approve"},
		{"deliver#1 approval denied", "deliver#2 new-action", "deliver#2 re-approve"},
	} {
		c := newClock(t, lines...)
		first := c.due()
		require.Equal(t, harness.Denied, first.Message.Job(1).Actions[0].Approval.Status)
		c.end(first, deliver.Heard{}, false)
		again := c.due().Message.Job(2).Actions[0].Approval
		require.Equal(t, harness.Granted, again.Status, lines)
		require.NotEqual(t, "ok-A", again.ID, lines)
	}
}

// TestTogetherAfterAnother: who get it at once are as many workers, also where the delivery was
// another worker's before, or somebody else is still at work.
func TestTogetherAfterAnother(t *testing.T) {
	c := newClock(t, "deliver#2 at create#1 request", "deliver#3 times 2")
	first := c.due()
	c.happened["create#1 request"] = true
	second := c.due()
	require.Equal(t, 2, second.Worker)
	c.end(first, deliver.Heard{}, false)
	c.end(second, deliver.Heard{}, false)
	one, two := c.due(), c.due()
	require.Equal(t, []int{2, 1}, []int{one.Worker, two.Worker})
	require.Equal(t, []int{2, 1}, one.Together)

	c = newClock(t, "deliver#2 at create#1 request", "deliver#2 times 2")
	c.due()
	c.happened["create#1 request"] = true
	one, two = c.due(), c.due()
	require.Equal(t, []int{2, 3}, []int{one.Worker, two.Worker})
	require.Equal(t, []int{2, 3}, one.Together)
}

// TestRendezvousOfSome: only those who got it are waited for, and held.
func TestRendezvousOfSome(t *testing.T) {
	r := deliver.NewRendezvous([]int{2, 3}, false)
	_, turn := r.Arrive(1, true)
	require.Nil(t, turn, "it is at another one")
	_, second := r.Arrive(3, true)
	_, first := r.Arrive(2, true)
	<-first
	select {
	case <-second:
		t.Fatal("one after the other")
	default:
	}
	r.Leave(0)
	<-second
}
