package report_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/check"
	"github.com/retrydrill/drill/harness/report"
)

func fault(s string) harness.Fault {
	f, err := harness.ParseFault(s)
	if err != nil {
		panic(err)
	}
	return f
}

// history is a lost answer that was repeated blindly: two effects.
func history() *harness.History {
	a := harness.Action{Name: "A", ID: "id-a", TriggerKey: "trigger", Arguments: harness.Arguments{"amount": int64(1)},
		Approval: harness.Approval{ID: "approval", ArgumentsSHA256: "sha256:approved"}}
	h := &harness.History{Schedule: harness.Schedule{Version: harness.ScheduleVersion, World: "wire", Profile: "things",
		Actions: []harness.Action{a}, Faults: []harness.Fault{fault("create#1 response reset"), fault("report#9 lose?")}}}
	effect := func(n, attempt int) *harness.Effect {
		return &harness.Effect{Seq: n, Kind: harness.Do, Resource: fmt.Sprintf("thing_%d", n), Attempt: attempt}
	}
	on := harness.Event{Worker: 1, Incarnation: 1, Delivery: 1, Action: "A"}
	for i, e := range []harness.Event{
		{Kind: harness.EvDeliver, Deliver: &harness.Delivered{Actions: []harness.DeliveredAction{{Name: "A", ID: "id-a", Digest: "sha256:0123456789", Covered: true}}}},
		{Kind: harness.EvRequest, Attempt: 1, Op: "create", N: 1, Method: "POST", Path: "/things", Changes: true, Key: "k1"},
		{Kind: harness.EvEffect, Attempt: 1, Effect: effect(1, 1)},
		{Kind: harness.EvLost, Attempt: 1, Fault: "create#1 response reset"},
		{Kind: harness.EvFault, Attempt: 1, Fault: "create#1 response reset"},
		{Kind: harness.EvRequest, Attempt: 2, Op: "find", N: 1, Method: "GET", Path: "/things?name=x"},
		{Kind: harness.EvPassed, Attempt: 2, Status: 200, Own: true, Class: harness.Confirmed},
		{Kind: harness.EvRequest, Attempt: 3, Op: "create", N: 2, Method: "POST", Path: "/things", Changes: true, Warm: true},
		{Kind: harness.EvRequest, Attempt: 3, Op: "create", N: 2, Method: "POST", Path: "/things", Changes: true, Copy: true},
		{Kind: harness.EvEffect, Attempt: 3, Effect: effect(2, 3)},
		{Kind: harness.EvAnswer, Attempt: 3, Status: 201, Resource: "thing_2", Own: true, Class: harness.Confirmed},
		{Kind: harness.EvPassed, Attempt: 3, Status: 201, Resource: "thing_2", Own: true, Class: harness.Confirmed},
		{Kind: harness.EvReport, Report: &harness.Report{ActionID: "id-a", Outcome: harness.Done, Resource: "thing_2"}},
		{Kind: harness.EvEnd, Note: "exit 0"},
		{Kind: harness.EvAck},
	} {
		e.Seq, e.At = i+1, harness.Duration(time.Duration(i)*time.Millisecond)
		e.Worker, e.Incarnation, e.Delivery, e.Action = on.Worker, on.Incarnation, on.Delivery, on.Action
		h.Events = append(h.Events, e)
	}
	return h
}

func judged() report.Trial {
	t := report.Trial{ID: "lost/one", Scenario: "lost", World: "wire", Executor: "some", Target: "things", Replay: ".drill/x.yaml", Took: 5 * time.Millisecond}
	return t.Judged(history(), check.Judgement{Verdict: harness.Unsafe, Reason: "violates one-effect",
		Violations: []harness.Violation{{Invariant: "one-effect", Action: "A", Expected: "1 effect", Observed: "2 effects", Events: []int{3, 10}}},
		Inspected:  allBut("settles")})
}

// allBut is what an inspection looked at that left one invariant out.
func allBut(id string) (n check.Inspected) {
	for i, inv := range check.Invariants {
		if inv.ID != id {
			n[i] = 1
		}
	}
	return n
}

func TestJudgedCounts(t *testing.T) {
	tr := judged()
	require.Equal(t, 2, tr.Attempts, "the create requests; a read is none, a copy is none")
	require.Equal(t, 1, tr.Copies)
	require.Equal(t, 1, tr.Deliveries)
	require.Equal(t, []harness.FaultFired{{Fault: "create#1 response reset", Fired: true}, {Fault: "report#9 lose?"}}, tr.Faults)
	require.Len(t, tr.Actions, 1)
	require.Equal(t, 2, tr.Actions[0].Effects)
	require.Equal(t, []report.Report{{Delivery: 1, Outcome: harness.Done, Resource: "thing_2", Acknowledged: true}}, tr.Actions[0].Reports)
}

func TestRecordIsTheEvidence(t *testing.T) {
	r := judged().Record.Actions[0]
	require.Equal(t, "trigger", r.TriggerKey)
	require.Equal(t, "id-a", r.ActionID)
	require.Equal(t, "sha256:approved", r.Approved)
	require.Equal(t, []string{"thing_1", "thing_2"}, r.Resources)
	require.Equal(t, []report.Query{{Query: "GET /things?name=x", At: harness.Duration(6 * time.Millisecond)}}, r.Reconciled)
	require.Equal(t, 2, r.Effects)
	var states []string
	for _, s := range r.States {
		states = append(states, s.State)
	}
	require.Equal(t, "delivered sent committed unknown sent sent committed confirmed reported done", strings.Join(states, " "))
}

func TestJSON(t *testing.T) {
	r := &report.Run{Schema: report.Schema, Seed: 7}
	r.Add(judged())
	r.Add(report.Trial{ID: "b/one", Scenario: "b"}.Skip("needs key: no"))
	var b bytes.Buffer
	require.NoError(t, r.JSON(&b))
	var got struct {
		Schema  string
		Seed    int
		Trials  []map[string]any
		Summary map[string]int
	}
	require.NoError(t, json.Unmarshal(b.Bytes(), &got))
	require.Equal(t, "drill.run/v1", got.Schema)
	require.Equal(t, map[string]int{"safe": 0, "unsafe": 1, "unknown": 0, "skipped": 1}, got.Summary)
	for _, tr := range got.Trials {
		for _, key := range []string{"id", "scenario", "world", "executor", "target", "verdict", "reason", "attempts", "copies", "deliveries",
			"actions", "faults", "violations", "told_by", "not_checked", "caveats", "replay", "record"} {
			require.Contains(t, tr, key)
			require.NotNil(t, tr[key], "a list is empty, never null: %s", key)
		}
	}
	require.NotContains(t, b.String(), "Took")
}

func TestAnEmptyRunIsUnknown(t *testing.T) {
	r := &report.Run{}
	require.Equal(t, harness.Inconclusive, r.Verdict())
	r.Add(report.Trial{}.Skip("no"))
	require.Equal(t, harness.Inconclusive, r.Verdict(), "a run that judged nothing is no success")
	r.Add(report.Trial{Verdict: harness.Safe})
	require.Equal(t, harness.Safe, r.Verdict())
	r.Add(report.Trial{Verdict: harness.Inconclusive})
	require.Equal(t, harness.Inconclusive, r.Verdict())
	r.Add(report.Trial{Verdict: harness.Unsafe})
	require.Equal(t, harness.Unsafe, r.Verdict())
	var b bytes.Buffer
	require.NoError(t, (&report.Run{}).JSON(&b))
	require.Contains(t, b.String(), `"trials": []`)
}

const wantText = `executor some, target things, wire, seed 7

UNSAFE   lost                 effects 2    attempts 2          5ms  1 of 2 trials
         skipped: needs key: no (two)

         one: create#1 response reset; report#9 lose?
           1  drill -> worker 1: delivery 1 brings A (id-a, arguments 01234567)
           2  worker 1 -> target: create#1 (attempt 1), POST /things, key k1
       *   3  target: COMMITS effect 1 (thing_1) for A, attempt 1
           4  worker 1 <- nothing: the answer to attempt 1 is lost [create#1 response reset]
           5  fault: create#1 response reset
           6  worker 1 -> target: find#1 (attempt 2), GET /things?name=x
           7  worker 1 <- target: 200 (confirmed)
           8  worker 1 -> target: create#2 (attempt 3), POST /things, no key, on a used connection
           9  a proxy -> target: create#2+ (attempt 3), POST /things, no key
       *  10  target: COMMITS effect 2 (thing_2) for A, attempt 3
          12  worker 1 <- target: 201 thing_2 (confirmed)
          13  worker 1: REPORTS A done thing_2
          14  worker 1: ends: exit 0
          15  drill: delivery 1 is acknowledged
         broken: one-effect (A): expected 1 effect, observed 2 effects [events 3, 10]
         again:  drill replay .drill/x.yaml


0 safe, 1 unsafe, 0 unknown, 1 skipped in 9ms
drill shows the presence of faults, not their absence.
`

func TestText(t *testing.T) {
	trials := []report.Trial{judged(), report.Trial{ID: "lost/two", Scenario: "lost"}.Skip("needs key: no")}
	run := &report.Run{}
	render := func(color bool) string {
		var b strings.Builder
		x := report.Text{W: &b, Color: color, Command: "drill"}
		x.Head("some", "things", "wire", 7)
		x.Scenario(trials)
		x.Foot(run, 9*time.Millisecond)
		return b.String()
	}
	for _, tr := range trials {
		run.Add(tr)
	}
	require.Equal(t, wantText, render(false))
	require.Contains(t, render(true), "\x1b[1;31mUNSAFE  \x1b[0m lost")
	require.NotContains(t, render(false), "\x1b")
}

// Every kind of event has words of its own.
func TestStoryKnowsEveryKind(t *testing.T) {
	for _, k := range harness.EventKinds {
		h := &harness.History{Events: []harness.Event{{Seq: 1, Kind: k, Worker: 1, Note: "note", Sends: 2, Report: &harness.Report{ActionID: "a", Outcome: harness.Waiting, WaitsFor: "worker"}}}}
		lines := report.Story(h)
		if k == harness.EvState {
			require.Empty(t, lines)
			continue
		}
		require.Len(t, lines, 1, k)
		require.NotEqual(t, string(k)+": note", lines[0].Text, "no words for %s", k)
	}
}

// TestAlikeViolationsAreOneLine: what differs in its events alone is told once.
func TestAlikeViolationsAreOneLine(t *testing.T) {
	tr := judged()
	again := tr.Violations[0]
	again.Events = []int{12}
	other := tr.Violations[0]
	other.Observed = "3 effects"
	tr.Violations = append(tr.Violations, again, other)
	var b strings.Builder
	report.Text{W: &b}.Unsafe(tr)
	require.Equal(t, 2, strings.Count(b.String(), "broken: one-effect"))
	require.Contains(t, b.String(), "observed 2 effects [events 3, 10], and 1 more like it\n")
}
