package tap_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/tap"
)

const token = "sk_test_secret/+"

func session(t require.TestingT, lines ...string) *tap.Session {
	s := harness.Schedule{}
	for _, l := range lines {
		f, err := harness.ParseFault(l)
		require.NoError(t, err)
		s.Faults = append(s.Faults, f)
	}
	return tap.NewSession(s, nil, tap.NewRecorder(func() time.Duration { return 0 }, token))
}

func hand(s *tap.Session, worker, incarnation int, names ...string) {
	d := &harness.Delivered{}
	for _, n := range names {
		d.Actions = append(d.Actions, harness.DeliveredAction{Name: n, ID: "act-" + n, BusinessKey: "ch_1", Wire: "args-" + n})
	}
	s.Deliver(tap.By{Worker: worker, Incarnation: incarnation, Delivery: 1}, d)
}

func create(key, reference, args string) harness.Named {
	return harness.Named{Op: harness.CreateOp, Changes: true, Key: key, Reference: reference, BusinessKey: "ch_1", Arguments: args}
}

// TestAttribution: delivery, then ID in key or reference, then business key and
// arguments, then nobody's.
func TestAttribution(t *testing.T) {
	from := harness.Event{Worker: 1, Incarnation: 1}
	for _, c := range []struct {
		name     string
		brings   []string
		request  harness.Named
		action   string
		rule     int
		disagree bool
	}{
		{"the delivery brought one action", []string{"A"}, create("", "", "args-A"), "A", 1, false},
		{"the delivery wins over the key", []string{"A"}, create("act-B", "", "args-A"), "A", 1, true},
		{"the key tells", []string{"A", "B"}, create("act-B:g2", "", "args-A"), "B", 2, false},
		{"the reference tells", []string{"A", "B"}, create("x", "act-A", "args-B"), "A", 2, false},
		{"the arguments tell", []string{"A", "B"}, create("x", "", "args-B"), "B", 3, false},
		{"several match", []string{"A", "B"}, create("x", "", ""), "", 4, false},
		{"nothing matches", []string{"A", "B"}, create("x", "", "args-C"), "", 4, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := session(t)
			hand(s, 2, 1, "B")
			hand(s, 1, 1, c.brings...)
			got := s.Arrive(from, c.request)
			require.Equal(t, c.action, got.Action)
			require.Equal(t, c.rule, got.Rule)
			n := 0
			for _, e := range s.Events() {
				if e.Kind == harness.EvDisagree {
					n++
				}
			}
			require.Equal(t, c.disagree, n == 1)
		})
	}
}

// TestCounters: a request counts under its operation, any and mutate, over the
// trial, its slot and its action; @ says whose count is meant.
func TestCounters(t *testing.T) {
	lines := []string{"create#2 request close", "create#1@w2 request hang", "create#2@B request reset", "mutate#4 response html", "any#5 target fail 500", "create#1..2@A target reject 402"}
	s := session(t, lines...)
	hand(s, 1, 1, "A")
	hand(s, 2, 1, "B")
	type want struct{ request, target, response string }
	for i, c := range []struct {
		worker int
		named  harness.Named
		want   want
	}{
		{1, create("", "", ""), want{"", lines[5], ""}},
		{1, harness.Named{Op: harness.FindOp}, want{}},
		{2, create("", "", ""), want{lines[0], "", ""}}, // create#2 stands before create#1@w2
		{1, create("", "", ""), want{"", lines[5], ""}},
		{2, create("", "", ""), want{lines[2], lines[4], lines[3]}},
	} {
		x := s.Arrive(harness.Event{Worker: c.worker, Incarnation: 1}, c.named)
		require.Equal(t, i+1, x.Attempt)
		var got want
		for side, p := range map[harness.Side]*string{harness.Request: &got.request, harness.Target: &got.target, harness.Response: &got.response} {
			if f := s.At(x, side); f != nil {
				*p = f.String()
			}
		}
		require.Equal(t, c.want, got, "request %d", i+1)
	}
}

// TestConnectionIsACondition: a fault waits for a request that meets it.
func TestConnectionIsACondition(t *testing.T) {
	f, err := harness.ParseFault("create#1 response close")
	require.NoError(t, err)
	for _, connection := range []string{"warm", "cold"} {
		s := tap.NewSession(harness.Schedule{Faults: []harness.Fault{f}, Connection: connection}, nil, tap.NewRecorder(func() time.Duration { return 0 }, ""))
		first := s.Arrive(harness.Event{Worker: 1, Incarnation: 1, Warm: connection != "warm"}, create("", "", ""))
		require.Nil(t, s.At(first, harness.Response))
		second := s.Arrive(harness.Event{Worker: 1, Incarnation: 1, Warm: connection == "warm"}, create("", "", ""))
		require.NotNil(t, s.At(second, harness.Response))
		require.Equal(t, 2, second.N, "the history counts all")
	}
}

// TestSecretsNeverStay: in whatever form and field the token is said, the history
// has none of it and a leak event instead.
func TestSecretsNeverStay(t *testing.T) {
	forms := []string{token, "c2tfdGVzdF9zZWNyZXQvKw==", "sk_test_secret%2F%2B"}
	rapid.Check(t, func(t *rapid.T) {
		r := tap.NewRecorder(func() time.Duration { return 0 }, token)
		said := "x" + rapid.SampledFrom(forms).Draw(t, "form") + "y"
		e := rapid.SampledFrom([]harness.Event{
			{Kind: harness.EvLog, Note: said}, {Kind: harness.EvRequest, Path: "/?t=" + said}, {Kind: harness.EvRequest, Key: said},
			{Kind: harness.EvReport, Report: &harness.Report{Detail: said}}, {Kind: harness.EvReport, Report: &harness.Report{Resource: said}},
		}).Draw(t, "event")
		r.Add(e)
		got := r.Events()
		require.Len(t, got, 2)
		require.Equal(t, harness.EvLeak, got[1].Kind)
		require.Contains(t, got[0].Note+got[0].Path+got[0].Key+reportText(got[0]), "x"+tap.Redacted+"y")
	})
}

func reportText(e harness.Event) string {
	if e.Report == nil {
		return ""
	}
	return e.Report.Detail + e.Report.Resource
}

// TestWhen: an event is waited for, also one that happened before.
func TestWhen(t *testing.T) {
	s := session(t)
	hand(s, 1, 1, "A")
	w, err := harness.ParseWhere("create#2 response")
	require.NoError(t, err)
	before := s.When(w)
	s.Add(harness.Event{Kind: harness.EvPassed, Op: "create", N: 1})
	select {
	case <-before:
		require.Fail(t, "create#1 is not create#2")
	default:
	}
	s.Add(harness.Event{Kind: harness.EvLost, Op: "create", N: 2})
	<-before
	<-s.When(w)
}

// TestEventsAreCountedAsLinesAre: what is waited for at one worker, or of one action, is
// counted among what that one did, and mutate among what changes something.
func TestEventsAreCountedAsLinesAre(t *testing.T) {
	for _, c := range []struct{ line, event string }{
		{"report#1@w2", "report 2"},
		{"report#2@w1", "report 3"},
		{"report#1@B", "report 2"},
		{"record#1@w2", "record 2"},
		{"create#1@w2 request", "request 2"},
		{"create#1@w2 target", "answer 2"},
		{"create#2@w1 response", "passed 4"},
		{"create#1@B response", "passed 2"},
		{"any#2@w1 request", "request 3"},
		{"mutate#3 request", "request 4"},
		{"mutate#2@w1 target", "answer 4"},
		{"create#2 response", "passed 2"},
		{"report#2", "report 2"},
		{"create#3@w1 request", ""},
		{"report#2@w2", ""},
		{"deliver#2", "deliver 2"},
	} {
		w, err := harness.ParseWhere(c.line)
		require.NoError(t, err)
		r := tap.NewRecorder(func() time.Duration { return 0 }, "")
		for _, e := range story() {
			before := r.Happened(w)
			r.Add(e)
			if name := fmt.Sprintf("%s %d", e.Kind, max(e.Attempt, e.Delivery, e.N)); name == c.event {
				require.False(t, before, "%s: before %s", c.line, c.event)
				require.True(t, r.Happened(w), "%s: at %s", c.line, c.event)
			}
		}
		require.Equal(t, c.event != "", r.Happened(w), c.line)
	}
}

// story is of two workers, each with an action of its own, who take turns; the second's
// answer comes before the first's.
func story() (out []harness.Event) {
	out = append(out, harness.Event{Kind: harness.EvDeliver, Worker: 1, Delivery: 1}, harness.Event{Kind: harness.EvDeliver, Worker: 2, Delivery: 2})
	request := func(attempt, worker int, op string, n int) harness.Event {
		return harness.Event{Kind: harness.EvRequest, Worker: worker, Action: string(rune('@' + worker)), Op: op, N: n, Attempt: attempt, Changes: op == "create"}
	}
	requests := []harness.Event{request(1, 1, "create", 1), request(2, 2, "create", 2), request(3, 1, "find", 1), request(4, 1, "create", 3)}
	out = append(out, requests...)
	for _, kind := range []harness.EventKind{harness.EvAnswer, harness.EvPassed} {
		for _, i := range []int{1, 0, 2, 3} {
			e := requests[i]
			e.Kind = kind
			out = append(out, e)
		}
	}
	for _, kind := range []harness.EventKind{harness.EvRecord, harness.EvReport} {
		for i, worker := range []int{1, 2, 1} {
			out = append(out, harness.Event{Kind: kind, Worker: worker, Action: string(rune('@' + worker)), N: i + 1})
		}
	}
	return out
}

// TestALineAtAReportCountsAtItsWorker: the first report of the second worker is struck,
// whichever of the trial's it is.
func TestALineAtAReportCountsAtItsWorker(t *testing.T) {
	f, err := harness.ParseFault("report#1@w2 lose")
	require.NoError(t, err)
	s := tap.NewSession(harness.Schedule{Faults: []harness.Fault{f}}, nil, tap.NewRecorder(func() time.Duration { return 0 }, ""))
	require.Nil(t, s.AtReport(s.Report(tap.By{Worker: 1, Incarnation: 1}, harness.Report{})))
	require.NotNil(t, s.AtReport(s.Report(tap.By{Worker: 2, Incarnation: 1}, harness.Report{})))
	require.Nil(t, s.AtReport(s.Report(tap.By{Worker: 2, Incarnation: 1}, harness.Report{})))
}
