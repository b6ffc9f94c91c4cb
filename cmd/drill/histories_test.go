package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/check"
	"github.com/retrydrill/drill/harness/reference"
	"github.com/retrydrill/drill/scenarios"
)

// record is one history in testdata/histories: what is run, and what the invariant
// that its name begins with says to it.
type record struct {
	// name is INVARIANT.convicted or INVARIANT.cleared, with words between the two
	// where there are several.
	name string
	// executor is a built-in one, or a command (it has a space).
	executor string
	// trial is SCENARIO/TRIAL of the catalogue, or empty: faults make one.
	trial  string
	faults []string
	// target is a profile; empty is the default one.
	target string
	// foreign plants a stranger's object.
	foreign bool
	// deliveries bounds the hand-overs, so that a file stays short.
	deliveries int
}

const (
	lost    = "lost-answer/response reset"
	unsent  = "lost-answer/request close"
	blind   = "testdata/profiles/blind-refunds.yaml"
	unnamed = "testdata/profiles/nameless-refunds.yaml"
	parted  = "fakes/testdata/two-parts.yaml"
)

// recovered: the delivery comes again when the lease of the dead one is over for sure.
var recovered = []string{"create#1 response kill", "deliver#2 recover", "deliver#3 after past-lease"}

// records lists the histories, in the order of the invariants.
var records = []record{
	{name: "one-effect.convicted", executor: "no-key", trial: lost},
	{name: "one-effect.cleared", executor: "reference", trial: lost},
	{name: "one-effect.another-language.convicted", executor: "bash testdata/workers/careless.sh", trial: lost},
	{name: "one-effect.batch.convicted", executor: "batch-resume", trial: "batch-cut/after the second's effect"},
	{name: "one-effect.batch.cleared", executor: "reference", trial: "batch-cut/after the second's effect"},
	{name: "one-effect.receipt-lost.convicted", executor: "missing-receipt-as-proof", trial: "receipt-not-written/the second write lost, the key forgotten"},
	{name: "one-effect.receipt-lost.cleared", executor: "reference", trial: "receipt-not-written/the second write lost, the key forgotten"},
	{name: "one-effect.recovery.convicted", executor: "recovery-by-resend", faults: recovered},
	{name: "one-effect.recovery.cleared", executor: "reference", faults: recovered},
	{name: "no-lost-effect.convicted", executor: "claim-before-send", trial: "dies-before-sending/killed"},
	{name: "no-lost-effect.cleared", executor: "reference", trial: "dies-before-sending/killed"},
	{name: "true-report.convicted", executor: "timeout-as-failure", trial: lost},
	{name: "true-report.cleared", executor: "reference", trial: lost},
	{name: "same-result.convicted", executor: "no-key", trial: "report-lost/another machine"},
	{name: "same-result.cleared", executor: "reference", trial: "report-lost/another machine"},
	{name: "arguments-bound.convicted", executor: "no-digest-check", trial: "changed-arguments/changed"},
	{name: "arguments-bound.cleared", executor: "reference", trial: "changed-arguments/changed"},
	{name: "approval-bound.convicted", executor: "no-approval-check", trial: "wrong-approval/of another action"},
	{name: "approval-bound.cleared", executor: "reference", trial: "wrong-approval/of another action"},
	{name: "approval-bound.none.convicted", executor: "no-approval-check", trial: "wrong-approval/none"},
	{name: "approval-bound.answered.convicted", executor: "answer-as-approval", trial: "batch-paused/answered no"},
	{name: "approval-bound.answered.cleared", executor: "reference", trial: "batch-paused/answered yes"},
	{name: "stable-key.convicted", executor: "key-per-attempt", trial: unsent},
	{name: "stable-key.cleared", executor: "reference", trial: unsent},
	{name: "distinct-intents.convicted", executor: "dedup-by-business-key", trial: "two-intents/one after the other"},
	{name: "distinct-intents.cleared", executor: "reference", trial: "two-intents/one after the other"},
	{name: "distinct-intents.adopted.convicted", executor: "adopt-by-name", faults: []string{"deliver#2 brings B", "create#2 request hang"}},
	{name: "reconcile-first.convicted", executor: "no-key", trial: unsent},
	{name: "reconcile-first.cleared", executor: "reference", trial: unsent},
	// It does not look, and under a kept key a repeat is harmless.
	{name: "reconcile-first.kept-key.cleared", executor: "retry-everything", trial: unsent},
	{name: "bounded-attempts.convicted", executor: "retry-everything", trial: "rejected-for-good/refused"},
	{name: "bounded-attempts.cleared", executor: "reference", trial: "throttled/429 with retry-after"},
	{name: "permanent-stops.convicted", executor: "retry-everything", trial: "rejected-for-good/refused"},
	{name: "permanent-stops.cleared", executor: "reference", trial: "rejected-for-good/refused"},
	{name: "class-kept.convicted", executor: "timeout-as-failure", trial: unsent},
	{name: "class-kept.cleared", executor: "reference", trial: unsent},
	{name: "settles.convicted", executor: "asks-a-person", trial: lost, deliveries: 2},
	{name: "settles.cleared", executor: "reference", trial: lost, deliveries: 2},
	{name: "escalates.convicted", executor: "timeout-as-failure", faults: []string{"create#1 response reset"}, target: blind},
	{name: "escalates.cleared", executor: "reference", faults: []string{"create#1 response reset"}, target: blind, deliveries: 2},
	{name: "escalates.foreign.convicted", executor: "adopt-by-name", faults: []string{"create#1 response reset?"}, target: unnamed, foreign: true},
	{name: "true-report.half-done.convicted", executor: "half-done", trial: "rejected-for-good/refused", target: parted},
	{name: "true-report.half-done.cleared", executor: "reference", trial: "rejected-for-good/refused", target: parted},
	{name: "true-report.undo.convicted", executor: "undo-assumed", trial: "undo-in-doubt/before the undo", target: parted},
	{name: "true-report.undo.cleared", executor: "reference", trial: "undo-in-doubt/before the undo", target: parted},
	{name: "no-bad-undo.convicted", executor: "undo-on-unknown", trial: "two-operations/the second, silence after the commit", target: parted},
	{name: "no-bad-undo.cleared", executor: "reference", trial: "undo-in-doubt/after the undo", target: parted},
	{name: "one-effect.parts.cleared", executor: "reference", trial: "two-operations/the first, after the commit", target: parted},
	{name: "one-effect.notice.convicted", executor: "notice-as-trigger", faults: []string{"event#1..2 twice"}, target: "payments"},
	{name: "one-effect.notice.cleared", executor: "reference", faults: []string{"event#1..2 twice"}, target: "payments"},
	{name: "true-report.notice.convicted", executor: "notice-as-proof", trial: "notice-astray/of somebody else", target: "payments"},
	{name: "true-report.notice.cleared", executor: "reference", trial: "notice-astray/of somebody else", target: "payments"},
	{name: "no-secret.convicted", executor: "says-the-token", trial: "control/twice"},
	{name: "no-secret.cleared", executor: "reference", trial: "control/twice"},
	{name: "record-first.convicted", executor: "record-after-ack", trial: "control/twice"},
	{name: "record-first.cleared", executor: "reference", trial: "receipt-not-written/killed after the second write"},
	{name: "one-action-per-trigger.convicted", executor: "no-trigger-dedup", trial: "minted-twice/second id"},
	{name: "one-action-per-trigger.cleared", executor: "reference", trial: "minted-twice/second id"},
}

// TestHistories records every history again, compares it with the file, and has
// both judged by today's invariants. With -update it writes what has changed.
func TestHistories(t *testing.T) {
	// Commands and files are named in the records as from the root.
	t.Chdir("../..")
	for _, r := range records {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join("testdata/histories", r.name+".jsonl")
			words := strings.Fields(r.executor)
			if len(words) > 1 && !have(t, words[0]) {
				r.judge(t, readHistory(t, path))
				t.Skipf("%s is missing, so that nothing was recorded", words[0])
			}
			fresh, now := r.carryOut(t, likenedFile(t, path))
			r.judge(t, fresh)
			if *update && !slices.Equal(now, likenedFile(t, path)) {
				require.Zero(t, check.Judge(fresh).Late, "the machine is too slow to record on")
				var b bytes.Buffer
				require.NoError(t, fresh.Write(&b))
				require.NoError(t, os.WriteFile(path, b.Bytes(), 0o644))
			}
			stored := readHistory(t, path)
			r.judge(t, stored)
			alike(t, likened(t, stored), now, path)
		})
	}
}

// TestHistoriesAreAll: no file without a record, each invariant convicts one and
// clears one, and each careless twin is convicted in one.
func TestHistoriesAreAll(t *testing.T) {
	var want []string
	said := map[string]bool{}
	for _, r := range records {
		want = append(want, r.name+".jsonl")
		said[r.invariant()+" "+fmt.Sprint(r.convicted())] = true
	}
	for _, i := range check.Invariants {
		assert.True(t, said[i.ID+" true"], "%s convicts no history", i.ID)
		assert.True(t, said[i.ID+" false"], "%s clears no history", i.ID)
	}
	for _, e := range reference.Executors {
		guilty := slices.ContainsFunc(records, func(r record) bool { return r.executor == e.Name && r.convicted() })
		assert.Equal(t, !e.Careful, guilty, e.Name)
	}
	files, err := filepath.Glob("../../testdata/histories/*.jsonl")
	require.NoError(t, err)
	for i := range files {
		files[i] = filepath.Base(files[i])
	}
	assert.ElementsMatch(t, want, files)
}

func (r record) invariant() string {
	id, _, _ := strings.Cut(r.name, ".")
	return id
}

func (r record) convicted() bool { return strings.HasSuffix(r.name, ".convicted") }

// judge holds the history against what the record says of it.
func (r record) judge(t *testing.T, h *harness.History) {
	t.Helper()
	j := check.Judge(h)
	guilty := slices.ContainsFunc(j.Violations, func(v harness.Violation) bool { return v.Invariant == r.invariant() })
	require.Equal(t, r.convicted(), guilty, "%s: %v", r.invariant(), j.Violations)
	if guilty {
		return
	}
	require.Positive(t, j.Inspected.Of(r.invariant()), "it has nothing to look at")
	if r.executor == "reference" {
		require.Equal(t, harness.Safe, j.Verdict, "%s %v", j.Reason, j.Violations)
	}
}

// carryOut runs the trial in the world of real sockets and processes, and returns the
// history and its lines. One that is not what is stored, and in which the machine came
// late, is carried out again with longer deadlines, as drill run does it: what it shows
// is not the schedule.
func (r record) carryOut(t *testing.T, stored []string) (h *harness.History, lines []string) {
	var declared harness.Limits
	for _, n := range slices.Concat([]int{1}, harness.Patience[:]) {
		h = r.once(t, n)
		late := check.Judge(h).Late
		if n == 1 {
			declared = h.Schedule.Limits
		}
		told := *h
		told.Schedule.Limits = declared
		if lines = likened(t, &told); late == 0 || slices.Equal(lines, stored) {
			break
		}
	}
	return h, lines
}

// once is one run, with every deadline so many times as long.
func (r record) once(t *testing.T, times int) *harness.History {
	f := runFlags{seed: 1, parallel: 1, targets: []string{r.target}, faults: r.faults, given: func(string) bool { return false }}
	if strings.Contains(r.executor, " ") {
		f.exec = r.executor
	} else {
		f.executor = r.executor
	}
	o, profile, err := f.options(nil)
	require.NoError(t, err)
	trial := o.Scenarios[0].Trials[0]
	if r.trial != "" {
		trial = catalogued(t, r.trial)
	}
	trial.Settings.ForeignObject = r.foreign
	if r.deliveries > 0 {
		o.Limits.Deliveries = r.deliveries
	}
	s, err := o.Schedule(trial)
	require.NoError(t, err)
	s.Limits = s.Limits.Scaled(times)
	world, err := f.place.open(&kept{}, profile)
	require.NoError(t, err)
	defer func() { require.NoError(t, world.Close()) }()
	h, err := shared{world, weightOf(s.Executor)}.Run(t.Context(), s)
	require.NoError(t, err)
	return h
}

// catalogued finds SCENARIO/TRIAL.
func catalogued(t *testing.T, id string) scenarios.Trial {
	name, trial, _ := strings.Cut(id, "/")
	picked, err := scenarios.Pick([]string{name})
	require.NoError(t, err)
	i := slices.IndexFunc(picked[0].Trials, func(x scenarios.Trial) bool { return x.Name == trial })
	require.GreaterOrEqual(t, i, 0, "there is no trial %s", id)
	return picked[0].Trials[i]
}

func readHistory(t *testing.T, path string) *harness.History {
	t.Helper()
	file, err := os.Open(path)
	require.NoError(t, err, "record it: see testdata/histories/README.md")
	defer file.Close()
	h, err := harness.ReadHistory(file)
	require.NoError(t, err, path)
	return h
}

func likenedFile(t *testing.T, path string) []string {
	if _, err := os.Stat(path); err != nil {
		return nil
	}
	return likened(t, readHistory(t, path))
}

// likened is the history as lines, without what differs between two recordings of
// one schedule in the real world: times, and when the tap told that an answer was
// lost, which it does while the worker already goes on.
func likened(t *testing.T, h *harness.History) []string {
	head := *h
	head.Version = harness.HistoryVersion
	lines := []string{line(t, head)}
	late := map[int][]harness.Event{}
	last := map[int]int{}
	for i, e := range h.Events {
		switch {
		case e.Attempt == 0:
		case e.Kind == harness.EvLost || e.Kind == harness.EvFault:
			late[e.Attempt] = append(late[e.Attempt], e)
		default:
			last[e.Attempt] = i
		}
	}
	add := func(e harness.Event) {
		e.Seq, e.At = 0, 0
		if e.Effect != nil {
			x := *e.Effect
			x.At = 0
			e.Effect = &x
		}
		lines = append(lines, line(t, e))
	}
	for i, e := range h.Events {
		if e.Kind == harness.EvSlow {
			continue
		}
		if e.Attempt > 0 && (e.Kind == harness.EvLost || e.Kind == harness.EvFault) {
			continue
		}
		add(e)
		if e.Attempt > 0 && last[e.Attempt] == i {
			for _, l := range late[e.Attempt] {
				add(l)
			}
		}
	}
	return lines
}

func line(t *testing.T, v any) string {
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return string(b)
}

// alike wants the same lines, and shows the first that is not.
func alike(t *testing.T, stored, fresh []string, path string) {
	t.Helper()
	for i := range max(len(stored), len(fresh)) {
		var was, is string
		if i < len(stored) {
			was = stored[i]
		}
		if i < len(fresh) {
			is = fresh[i]
		}
		if was != is {
			assert.Equal(t, was, is, "%s, line %d, is not what happens now: see testdata/histories/README.md", path, i+1)
			return
		}
	}
}
