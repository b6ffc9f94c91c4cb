package tap_test

import (
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
	answered := func(kind harness.EventKind) {
		e := *s.Arrive(harness.Event{Worker: 1, Incarnation: 1}, create("", "", "")).Event
		e.Kind = kind
		s.Add(e)
	}
	answered(harness.EvPassed)
	select {
	case <-before:
		require.Fail(t, "create#1 is not create#2")
	default:
	}
	answered(harness.EvLost)
	<-before
	<-s.When(w)
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
