package check

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/retrydrill/drill/harness"
)

// anyEvent draws an event of any kind, with fields that fit no order.
func anyEvent(t *rapid.T) harness.Event {
	small := rapid.IntRange(0, 3)
	word := func(label string, w ...string) string { return rapid.SampledFrom(append(w, "")).Draw(t, label) }
	e := harness.Event{
		Kind:   rapid.SampledFrom(harness.EventKinds).Draw(t, "kind"),
		Worker: small.Draw(t, "worker"), Incarnation: small.Draw(t, "life"), Delivery: small.Draw(t, "delivery"),
		Attempt: rapid.IntRange(0, 6).Draw(t, "attempt"), Conn: small.Draw(t, "conn"), Sends: small.Draw(t, "sends"), N: small.Draw(t, "n"),
		Action: word("action", "A", "B", "C"), Op: word("op", "create", "find", "pay"), Rule: small.Draw(t, "rule"),
		Key: word("key", "k1", "k2"), Arguments: word("args", "w1", "w2"), Status: rapid.SampledFrom([]int{0, 200, 201, 409, 422, 429, 504}).Draw(t, "status"),
		Class: harness.Class(word("class", "confirmed", "unknown", "rejected_permanent", "rejected_transient")), Resource: word("resource", "r1", "r2"),
		Fault: word("fault", reset, "nonsense"), Note: word("note", "exit 0", "no answer", "timed-out", "exit 75"),
		Copy: rapid.Bool().Draw(t, "copy"), Changes: rapid.Bool().Draw(t, "changes"), Warm: rapid.Bool().Draw(t, "warm"),
		Replayed: rapid.Bool().Draw(t, "replayed"), More: rapid.Bool().Draw(t, "more"),
	}
	if rapid.Bool().Draw(t, "after") {
		e.RetryAfter = harness.Duration(time.Second)
	}
	if rapid.Bool().Draw(t, "filled") {
		e.Effect = &harness.Effect{Resource: word("made", "r1", "r2"), Kind: word("do", "do", "undo"), Attempt: e.Attempt, Arguments: e.Arguments,
			Foreign: rapid.Bool().Draw(t, "foreign"), BusinessKey: word("charge", "ch_1")}
		e.Report = &harness.Report{ActionID: word("id", "id-A", "id-B"), Resource: e.Resource, ErrorClass: word("named", "unknown", "rejected_permanent"),
			Outcome: rapid.SampledFrom(harness.Outcomes).Draw(t, "outcome")}
		e.Deliver = &harness.Delivered{TriggerKey: word("trigger", "t", "u")}
		for range small.Draw(t, "brings") {
			name := rapid.SampledFrom([]string{"A", "B", "C"}).Draw(t, "name")
			e.Deliver.Actions = append(e.Deliver.Actions, harness.DeliveredAction{Name: name, As: word("as", "A", "B"), ID: "id-" + name,
				BusinessKey: "ch_1", Digest: "d", Wire: word("wire", "w1", "w2"), Covered: rapid.Bool().Draw(t, "covered")})
		}
		e.Found = []harness.Found{{Resource: "r1", Reference: word("reference", "id-A", "id-B"), Arguments: "w1"}, {Resource: "r2"}}[:small.Draw(t, "found")%3]
	}
	return e
}

func anyHistory(t *rapid.T) *harness.History {
	p := rapid.SampledFrom([]func() harness.Promises{kept, findOnly, blind}).Draw(t, "promises")()
	p.UniqueNames = rapid.Bool().Draw(t, "unique")
	h := newTape(p, rapid.SampledFrom([]string{reset, "create#1.. response status 504", "find#1.. response reset", "deliver#1.. down"}).Draw(t, "line")).History
	now := harness.Duration(0)
	for range rapid.IntRange(0, 40).Draw(t, "events") {
		e := anyEvent(t)
		now += harness.Duration(rapid.IntRange(0, 200).Draw(t, "ms")) * harness.Duration(time.Millisecond)
		e.Seq, e.At = len(h.Events)+1, now
		h.Events = append(h.Events, e)
	}
	return h
}

// Whatever the order of events, judging ends, is the same each time, names events
// that are there, and leaves the history as it was.
func TestAnyHistoryIsJudged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := anyHistory(t)
		before := written(t, h)
		j := Judge(h)
		require.Equal(t, j, Judge(h))
		require.Equal(t, before, written(t, h))
		for _, v := range j.Violations {
			require.NotEmpty(t, v.Events, v)
			for _, seq := range v.Events {
				require.True(t, seq >= 1 && seq <= len(h.Events), v)
			}
		}
		require.Equal(t, len(j.Violations) > 0, j.Verdict == harness.Unsafe)
		require.Equal(t, j.Verdict == harness.Safe, j.Reason == "")
	})
}

// What a builder judged before leaves nothing behind: it judges as a fresh one does.
func TestAUsedRoomIsAsAFreshOne(t *testing.T) {
	used := new(builder)
	again := func(t require.TestingT, h *harness.History) {
		var fresh, later Judgement
		b := new(builder)
		b.build(h)
		b.judge(&fresh)
		used.build(h)
		used.judge(&later)
		used.anew()
		require.Equal(t, fresh, later)
	}
	for _, h := range []*harness.History{recorded(), long(200), hostile(200), recorded()} {
		again(t, h)
	}
	rapid.Check(t, func(t *rapid.T) { again(t, anyHistory(t)) })
}

// No verdict depends on how actions, profile or executor are named.
func TestNamesDoNotMatter(t *testing.T) {
	rename := strings.NewReplacer(`"A"`, `"Zulu"`, `"B"`, `"Yank"`, `"C"`, `"Xray"`, `"profile":"test"`, `"profile":"else"`, `"name":""`, `"name":"mutant"`)
	back := strings.NewReplacer("Zulu", "A", "Yank", "B", "Xray", "C")
	rapid.Check(t, func(t *rapid.T) {
		h := anyHistory(t)
		other, err := harness.ReadHistory(strings.NewReader(rename.Replace(written(t, h))))
		require.NoError(t, err)
		a, err := json.Marshal(Judge(h))
		require.NoError(t, err)
		b, err := json.Marshal(Judge(other))
		require.NoError(t, err)
		require.Equal(t, string(a), back.Replace(string(b)))
	})
}

// A history that was written and read is judged as it was before.
func TestStoredHistoriesAreJudgedAlike(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := anyHistory(t)
		read, err := harness.ReadHistory(strings.NewReader(written(t, h)))
		require.NoError(t, err)
		require.Equal(t, Judge(h), Judge(read))
	})
}

// A search is told what a report is, but for what stands beside the verdict.
func TestWeighingIsJudging(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := anyHistory(t)
		j := Judge(h)
		j.Caveats, j.Told, j.Review = nil, nil, ""
		require.Equal(t, j, Weigh(h))
	})
}

// The texts of its lines beside a history change no judgement, nor do those of fewer lines
// than it has.
func TestLinesChangeNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := anyHistory(t)
		without := Judge(h)
		for i := range h.Schedule.Faults {
			h.Lines = append(h.Lines, h.Schedule.Faults[i].String())
		}
		require.Equal(t, without, Judge(h))
		h.Lines = h.Lines[1:]
		require.Equal(t, without, Judge(h))
	})
}

// One more effect of an action never makes an unsafe history safe.
func TestASecondEffectIsAlwaysSeen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := anyHistory(t)
		for range 2 {
			h.Events = append(h.Events, harness.Event{Seq: len(h.Events) + 1, Kind: harness.EvEffect, Action: "A",
				Effect: &harness.Effect{Resource: "r9", Kind: harness.Do}})
		}
		require.Equal(t, harness.Unsafe, Judge(h).Verdict)
	})
}

func written(t require.TestingT, h *harness.History) string {
	var b bytes.Buffer
	require.NoError(t, h.Write(&b))
	return b.String()
}

func FuzzJudge(f *testing.F) {
	for _, h := range []*tape{careful(), careful("create#2 response reset")} {
		f.Add([]byte(written(f, h.History)))
	}
	f.Add([]byte("{}"))
	f.Fuzz(func(t *testing.T, b []byte) {
		h, err := harness.ReadHistory(bytes.NewReader(b))
		if err != nil {
			require.ErrorIs(t, err, harness.ErrHistory)
			return
		}
		j := Judge(h)
		require.Equal(t, j, Judge(h))
	})
}
