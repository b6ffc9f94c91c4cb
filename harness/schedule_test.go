package harness_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
)

func sample(t testing.TB, lines ...string) harness.Schedule {
	s := harness.Schedule{Version: harness.ScheduleVersion, Seed: 1, World: "wire", Profile: "p", Limits: harness.DefaultLimits(),
		Executor: harness.Executor{Kind: "exec", Command: []string{"sh", "-c", "true"}, Abilities: map[string]bool{"waits": false}}}
	for _, n := range []string{"A", "B"} {
		args := harness.Arguments{"amount": int64(1099), "ok": true, "to": []any{"x", "y"}}
		s.Actions = append(s.Actions, harness.Action{Name: n, ID: "act-" + n, TriggerKey: "t", BusinessKey: "b", Effect: "refund", Arguments: args,
			Changed: map[string]any{"/amount": int64(5)}, Approval: harness.Approval{ID: "p" + n, ArgumentsSHA256: args.Digest(), Status: harness.Granted}})
	}
	for _, l := range lines {
		f, err := harness.ParseFault(l)
		require.NoError(t, err)
		s.Faults = append(s.Faults, f)
	}
	return s
}

func TestScheduleFileKeepsEverything(t *testing.T) {
	s := sample(t, "create#1 response reset", "deliver#2 change /amount=7")
	s.Connection, s.Order = "warm", "reverse"
	s.Settings = harness.Settings{ForgetKey: true, StaleRead: harness.Span{Symbol: harness.PastLease}}
	b, err := s.Marshal()
	require.NoError(t, err)
	got, err := harness.ParseSchedule(b)
	require.NoError(t, err, string(b))
	again, err := got.Marshal()
	require.NoError(t, err)
	require.Equal(t, string(b), string(again))
	require.Equal(t, s.Actions[0].Arguments.Digest(), got.Actions[0].Arguments.Digest())
}

func TestScheduleFileRefuses(t *testing.T) {
	good, err := sample(t, "create#1 response reset").Marshal()
	require.NoError(t, err)
	for _, c := range []struct{ name, from, to, want string }{
		{"unknown key", "seed: 1", "sead: 1", "sead"},
		{"wrong type", "seed: 1", "seed: one", "seed"},
		{"bad fault", "response reset", "response rest", `"rest" is no fault`},
		{"bad duration", "client_deadline: 300ms", "client_deadline: soon", `"soon" is no duration`},
		{"another version", "drill.schedule/v1", "drill.schedule/v9", "drill.schedule/v9"},
		{"a float", "amount: 1099", "amount: 10.99", "integers below 2^53"},
	} {
		bad := strings.Replace(string(good), c.from, c.to, 1)
		require.NotEqual(t, string(good), bad, c.name)
		_, err := harness.ParseSchedule([]byte(bad))
		require.ErrorContains(t, err, c.want, c.name)
	}
}

func TestClashes(t *testing.T) {
	for _, c := range []struct {
		lines []string
		want  string
	}{
		{[]string{"create#1 response close", "create#1 response hang"}, "the first strikes wherever the second could"},
		{[]string{"create#1.. response close", "create#3 response hang"}, "the first strikes wherever the second could"},
		{[]string{"create#1 response reset", "create#2 response close"}, "armed for RST"},
		{[]string{"deliver#2 brings C"}, "there is no action C"},
		{[]string{"create#1 response close", "create#1 response hang?"}, ""},
		{[]string{"create#1@w1 response reset", "create#1@w2 response close"}, ""},
		{[]string{"create#1 target reject 500", "create#1 response close"}, ""},
		{[]string{"deliver#2 change", "deliver#2 respell"}, ""},
		{[]string{"deliver#2 recover", "deliver#2 change?"}, "a recovery is handed nothing"},
		{[]string{"deliver#2.. respell", "deliver#3 recover"}, "a recovery is handed nothing"},
		{[]string{"deliver#2 recover", "deliver#3 change"}, ""},
		{[]string{"deliver#2 recover", "deliver#2 elsewhere"}, ""},
	} {
		s := sample(t, c.lines...)
		err := s.Validate()
		if c.want == "" {
			require.NoError(t, err, c.lines)
			continue
		}
		require.ErrorContains(t, err, c.want, c.lines)
	}
}

func TestHistoryFileKeepsEverything(t *testing.T) {
	h := &harness.History{Schedule: sample(t, "create#1 response reset"), Promises: harness.Promises{Profile: "p"}, Events: []harness.Event{
		{Seq: 1, Kind: harness.EvDeliver, Deliver: &harness.Delivered{TriggerKey: "t", Actions: []harness.DeliveredAction{{Name: "A"}}}},
		{Seq: 2, Kind: harness.EvEffect, Effect: &harness.Effect{Seq: 1, Resource: "<x>"}},
		{Seq: 3, Kind: harness.EvReport, Report: &harness.Report{ActionID: "a", Outcome: harness.Done}},
		{Seq: 4, Kind: harness.EvFault, Fault: "create#1 response reset"},
	}}
	var b bytes.Buffer
	require.NoError(t, h.Write(&b))
	got, err := harness.ReadHistory(bytes.NewReader(b.Bytes()))
	require.NoError(t, err)
	require.Equal(t, h.Events, got.Events)
	require.Equal(t, []harness.FaultFired{{Fault: "create#1 response reset", Fired: true}}, got.FaultsFired())
	var again bytes.Buffer
	require.NoError(t, got.Write(&again))
	require.Equal(t, b.String(), again.String())

	for _, c := range []struct{ name, from, to, want string }{
		{"unknown key", `"kind":"effect"`, `"kimd":"effect"`, `line 3, column 20: unknown field "kimd"`},
		{"wrong type", `"seq":3`, `"seq":"3"`, "line 4, column"},
		{"a line is missing", `"seq":3`, `"seq":9`, "seq is 9, expected 3"},
		{"unknown kind", `"kind":"effect"`, `"kind":"affect"`, `"affect" is no kind of event`},
		{"cut", `"action_id":"a"`, `"action_id":`, "line 4, column"},
		{"version", "drill.history/v1", "drill.history/v2", `version is "drill.history/v2"`},
	} {
		_, err := harness.ReadHistory(strings.NewReader(strings.Replace(b.String(), c.from, c.to, 1)))
		require.ErrorIs(t, err, harness.ErrHistory, c.name)
		require.ErrorContains(t, err, c.want, c.name)
	}
	_, err = harness.ReadHistory(strings.NewReader(""))
	require.ErrorIs(t, err, harness.ErrHistory)
}

func FuzzReadHistory(f *testing.F) {
	h := &harness.History{Schedule: sample(f), Events: []harness.Event{{Seq: 1, Kind: harness.EvAck}}}
	var b bytes.Buffer
	require.NoError(f, h.Write(&b))
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, in []byte) {
		got, err := harness.ReadHistory(bytes.NewReader(in))
		if err != nil {
			require.ErrorIs(t, err, harness.ErrHistory)
			return
		}
		require.NoError(t, got.Write(&bytes.Buffer{}))
	})
}

func FuzzParseSchedule(f *testing.F) {
	b, err := sample(f, "create#1 response reset").Marshal()
	require.NoError(f, err)
	f.Add(b)
	f.Fuzz(func(t *testing.T, in []byte) {
		s, err := harness.ParseSchedule(in)
		if err == nil {
			_, err = s.Marshal()
			require.NoError(t, err)
		}
	})
}
