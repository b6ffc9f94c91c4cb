package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/reference"
	"github.com/retrydrill/drill/harness/report"
	"github.com/retrydrill/drill/harness/suite"
	"github.com/retrydrill/drill/scenarios"
)

// difference is one that the two worlds are known to have.
type difference struct {
	// executor and trial say where; an empty executor is any.
	executor, trial string
	reason          string
}

// differences lists what the sim and the wire tell otherwise, each with its reason: none
// so far. What is not listed is a bug in one of them.
var differences = []difference{}

// race is what two workers do beside each other in a trial whose schedule does not order
// it: the sim has one order, the wire either.
type race struct {
	executor, trial string
	reason          string
	// told is what the wire tells in the order that the sim does not have.
	told string
}

// races lists them all: what the wire tells is one of the two, and nothing else.
var races = []race{
	{executor: "record-after-ack", trial: "recovery-races/the late one writes",
		reason: "it records that it sends when it has its answer already, and the recovery that begins at that answer reads the record before that or after",
		told: `verdict: unsafe violates record-first
broken: record-first A
A: 1 effects
fault: deliver#2 recover true
fault: deliver#2 at create#1 response true
fault: record#3@w1 hold until report#1 true
fault: record#4@w1 hold until report#1? false
a worker reported: A=done/
a worker heard: whole answer/200/1
`},
	{executor: "late-write", trial: "redelivered-early/while the first waits",
		reason: "it comes again in the moment in which the first one's answer is let go, and looks unless that one was quicker to write down what it heard",
		told: `verdict: safe 
A: 1 effects
fault: create#1 response delay past-lease true
fault: deliver#2 at create#1 request true
a worker reported: A=done/
a worker reported: A=done/
a worker heard: whole answer/200/1 whole answer/201/1
`},
	{executor: "loser-is-told-failed", trial: "late-worker/with the answer to its first call on the way", reason: wokeLate, told: loserWokeLate("any")},
	{executor: "loser-is-told-failed", trial: "late-worker/with the answer to its write on the way", reason: wokeLate, told: loserWokeLate("mutate")},
}

const wokeLate = "whoever stood still for longer than its deadline finds both its answer and that time is up (docs/faults.md); who says that it failed says it of an answer that it knows, or of none"

func loserWokeLate(op string) string {
	return `verdict: unsafe violates true-report
broken: true-report A
A: 1 effects
fault: ` + op + `#1 response pause past-lease true
a worker reported: A=done/
a worker reported: A=rejected/rejected_permanent
`
}

// otherOrder reports whether this is a race that ended in the other order.
func otherOrder(executor, trial, got string) bool {
	return slices.ContainsFunc(races, func(r race) bool { return r.executor == executor && r.trial == trial && r.told == got })
}

// TestParity carries out the catalogue with every built-in executor and mutant in both worlds:
// the same effects, the same outcomes, what the client saw of each call, the same
// verdict, the same invariants. On the wire time is real, so that a trial which
// differs is carried out again in both, alone and with longer deadlines, before it counts:
// a run itself does the same where the machine was slow. DRILL_PARITY=all runs
// all of it; else each twin runs one trial of every third scenario, so that all twins
// together run each of them several times, a mutant its own scenario and one trial of
// every ninth, and with -short only what the reference executor does is compared.
func TestParity(t *testing.T) {
	t.Parallel()
	all := os.Getenv("DRILL_PARITY") == "all"
	p := &parity{used: map[difference]bool{}}
	for i, name := range executorNames() {
		picked := scenarios.All()
		if name != defaultExecutor {
			if testing.Short() && !all {
				continue
			}
			if !all {
				picked = brief(picked, i, 3)
			}
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p.compare(t, name, "", picked)
		})
	}
	for i, m := range mutantsBeside() {
		if testing.Short() && !all {
			break
		}
		picked := scenarios.All()
		if !all {
			own := picked[slices.IndexFunc(picked, func(s scenarios.Scenario) bool { return s.Name == m.Scenario })]
			picked = append(slices.DeleteFunc(brief(picked, i, 9), func(s scenarios.Scenario) bool { return s.Name == own.Name }), own)
		}
		t.Run(m.Name, func(t *testing.T) {
			t.Parallel()
			p.compare(t, m.Name, m.Target, picked)
		})
	}
	for _, target := range elsewhere {
		t.Run(target, func(t *testing.T) {
			t.Parallel()
			p.compare(t, defaultExecutor, target, scenarios.All())
		})
	}
	// Once all of them have ended.
	t.Cleanup(func() {
		for _, d := range differences {
			assert.NotEmpty(t, d.reason, "%v has no reason", d)
			assert.True(t, p.used[d] || !all, "%v is listed and shows nowhere", d)
		}
		p.tell(t)
	})
}

// mutantsBeside are those that are no built-in executor of their own.
func mutantsBeside() []reference.Mutant {
	return slices.DeleteFunc(slices.Clone(reference.Mutants), func(m reference.Mutant) bool { return slices.Contains(executorNames(), m.Name) })
}

// elsewhere are targets at which scenarios run that the default one skips, or end
// otherwise: unique names, a lag of reads, no key, nothing to look up.
var elsewhere = []string{"natural-key", "lookup-by-reference", "paypal-orders", "no-key-no-lookup"}

// TestParityTells: two executors that do not behave alike are told apart, or nothing
// would ever differ.
func TestParityTells(t *testing.T) {
	lost := only(t, "lost-answer/response close")
	a, b := carriedOut(t, "sim", "reference", "", lost, light, 1), carriedOut(t, "sim", "no-key", "", lost, light, 1)
	require.Len(t, a, 1)
	require.NotEqual(t, a, b)
}

// TestRacesAreListedOnce: each has a reason, and is none where the sim has that order.
func TestRacesAreListedOnce(t *testing.T) {
	for _, r := range races {
		require.NotEmpty(t, r.reason)
		require.NotEqual(t, r.told, carriedOut(t, "sim", r.executor, "", only(t, r.trial), light, 1)[r.trial], r.trial)
	}
}

// parity counts what was compared.
type parity struct {
	mu       sync.Mutex
	compared int
	again    []string
	used     map[difference]bool
}

func (p *parity) tell(t *testing.T) {
	t.Logf("%d trials compared in both worlds, again %q, %d known differences", p.compared, p.again, len(p.used))
}

// count notes a trial that was compared, and whether it shows a known difference.
func (p *parity) count(d *difference, differs bool) (excused bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.compared++
	if d == nil || !differs {
		return false
	}
	p.used[*d] = true
	return true
}

func (p *parity) repeated(executor, trial string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.again = append(p.again, executor+" in "+trial)
}

func (p *parity) compare(t *testing.T, executor, target string, picked []scenarios.Scenario) {
	wire, sim := carriedOut(t, "wire", executor, target, picked, light, 1), carriedOut(t, "sim", executor, target, picked, light, 1)
	require.Len(t, sim, len(wire))
	for id, want := range sim {
		got := wire[id]
		if p.count(known(executor, id), got != want) {
			continue
		}
		for _, times := range harness.Patience {
			if got == want || otherOrder(executor, id, got) {
				break
			}
			p.repeated(executor+" at "+cmp.Or(target, defaultTarget), id)
			one := only(t, id)
			got = carriedOut(t, "wire", executor, target, one, alone, times)[id]
			want = carriedOut(t, "sim", executor, target, one, light, times)[id]
		}
		if !otherOrder(executor, id, got) {
			assert.Equal(t, got, want, "%s: on the wire, and in the sim", id)
		}
	}
}

func known(executor, trial string) *difference {
	for i, d := range differences {
		if d.trial == trial && (d.executor == "" || d.executor == executor) {
			return &differences[i]
		}
	}
	return nil
}

// brief is one trial of every so many scenarios, from the i-th on.
func brief(all []scenarios.Scenario, i, every int) (out []scenarios.Scenario) {
	for k := i % every; k < len(all); k += every {
		s := all[k]
		s.Trials = s.Trials[:1]
		out = append(out, s)
	}
	return out
}

// only is the one trial.
func only(t *testing.T, id string) []scenarios.Scenario {
	name, _, _ := strings.Cut(id, "/")
	picked, err := scenarios.Pick([]string{name})
	require.NoError(t, err)
	picked[0].Trials = []scenarios.Trial{catalogued(t, id)}
	return picked
}

// carriedOut tells of each trial what happened, with deadlines that are so many times as
// long. On the wire each has the given weight among those under way.
func carriedOut(t *testing.T, world, executor, target string, picked []scenarios.Scenario, weight int64, times int) map[string]string {
	f := runFlags{seed: 1, world: world, executor: executor, targets: []string{target}, given: func(string) bool { return false }}
	o, profile, err := f.options(nil)
	require.NoError(t, err)
	w, err := f.place.open(&kept{}, profile)
	require.NoError(t, err)
	tape := &taped{World: w, kept: map[uint64]*harness.History{}}
	o.Parallel = 1
	if world == defaultWorld {
		tape.World, o.Parallel = shared{w, weight}, int(trialsAtOnce/weight)
	}
	o.World, o.Scenarios, o.Dir, o.Limits = tape, picked, "", o.Limits.Scaled(times)
	r, err := suite.Run(t.Context(), o, nil)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	out := map[string]string{}
	for _, tr := range r.Trials {
		out[tr.ID] = told(tr, tape.of(t, o, tr.ID))
	}
	return out
}

// taped keeps the histories of a world by seed.
type taped struct {
	harness.World
	mu   sync.Mutex
	kept map[uint64]*harness.History
}

func (w *taped) Run(ctx context.Context, s harness.Schedule) (*harness.History, error) {
	h, err := w.World.Run(ctx, s)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.kept[s.Seed] = h
	return h, err
}

// of finds the history of a trial.
func (w *taped) of(t *testing.T, o suite.Options, id string) *harness.History {
	s, err := o.Schedule(catalogued(t, id))
	require.NoError(t, err)
	return w.kept[s.Seed]
}

// told is what has to be the same in both worlds, as text.
func told(tr report.Trial, h *harness.History) string {
	out := fmt.Sprintln("verdict:", tr.Verdict, tr.Reason)
	var broken []string
	for _, v := range tr.Violations {
		broken = append(broken, v.Invariant+" "+v.Action)
	}
	slices.Sort(broken)
	for _, b := range slices.Compact(broken) {
		out += fmt.Sprintln("broken:", b)
	}
	for _, a := range tr.Actions {
		out += fmt.Sprintf("%s: %d effects\n", a.Action, a.Effects)
	}
	if h == nil {
		return out
	}
	for _, f := range h.FaultsFired() {
		out += fmt.Sprintln("fault:", f.Fault, f.Fired)
	}
	return out + byWorker(h, "reported", reported) + byWorker(h, "heard", heard)
}

// byWorker tells what each worker did, in its own order: between workers the wire
// has none. Which of several that get one delivery at once comes first is not the
// schedule's to say, so that the workers are not told by number.
func byWorker(h *harness.History, what string, tell func(*harness.History, harness.Event) string) (out string) {
	by := map[int]string{}
	for _, e := range h.Events {
		if s := tell(h, e); s != "" {
			by[e.Worker] += " " + s
		}
	}
	for _, s := range slices.Sorted(maps.Values(by)) {
		out += fmt.Sprintf("a worker %s:%s\n", what, s)
	}
	return out
}

// reported leaves out that a worker waits: how often it does is a matter of time.
func reported(_ *harness.History, e harness.Event) string {
	if e.Kind != harness.EvReport || e.Report.Outcome == harness.Waiting {
		return ""
	}
	return fmt.Sprint(e.Action, "=", e.Report.Outcome, "/", e.Report.ErrorClass)
}

// heard is what the client saw of one call. A worker that is a process on the wire
// has a client that nobody watches.
func heard(h *harness.History, e harness.Event) string {
	if e.Kind != harness.EvHeard || h.Schedule.Kills() {
		return ""
	}
	return fmt.Sprintf("%s/%d/%d", cmp.Or(string(e.Failure), e.Note), e.Status, e.Sends)
}
