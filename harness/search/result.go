package search

import (
	"slices"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/check"
)

// Result states the space: what was there, what ran, and what did not and why.
type Result struct {
	// Boundaries of the fault-free run, Roots of the search.
	Boundaries int `json:"boundaries"`
	Roots      int `json:"roots"`
	// Ran counts the schedules that were run, ByDepth by their number of faults.
	Ran     int   `json:"ran"`
	ByDepth []int `json:"by_depth"`
	// Pruned counts by reason the runs that the search did not go on from.
	Pruned []Count `json:"pruned"`
	// Unfired counts runs of which the last fault had no place to strike.
	Unfired int `json:"unfired"`
	// Elsewhere counts the first faults of other shards, NotRun the schedules that
	// were known and not run.
	Elsewhere int `json:"other_shards"`
	NotRun    int `json:"not_run"`
	// Left are words that were not tried here, with the reason.
	Left []Left `json:"left"`
	// Stable: two runs without a fault were alike.
	Stable   bool      `json:"stable"`
	Findings []Finding `json:"findings"`
	// Unknown are schedules that could not be judged.
	Unknown []Doubt `json:"unknown"`

	base harness.Schedule
}

// Count is how often something was done for a reason.
type Count struct {
	Why string `json:"why"`
	N   int    `json:"n"`
}

// Left is a word that was not tried.
type Left struct {
	Fault string `json:"fault"`
	Why   string `json:"why"`
}

// Doubt is a schedule that could not be judged.
type Doubt struct {
	Faults []string `json:"faults"`
	Reason string   `json:"reason"`
}

// Finding is one distinct fault of the executor: the invariants that break, and the
// smallest schedule that breaks them.
type Finding struct {
	Invariants []string            `json:"invariants"`
	Violations []harness.Violation `json:"violations"`
	// Schedule has no line that could go.
	Schedule harness.Schedule `json:"schedule"`
	// Times counts the schedules that showed it; Also are those of them in which no
	// line could go either.
	Times int        `json:"times"`
	Also  [][]string `json:"also"`

	// History is what the verdict was drawn from.
	History *harness.History `json:"-"`

	// minimal are the smallest schedules, first the index of the one that is shown.
	minimal [][]harness.Fault
	first   int
}

// Lines are the smallest schedule as it is written.
func (f Finding) Lines() []string { return texts(f.Schedule.Faults) }

func texts(faults []harness.Fault) []string {
	out := make([]string, 0, len(faults))
	for _, f := range faults {
		out = append(out, f.String())
	}
	return out
}

// The reasons for which the search does not go on from a run.
const (
	// broken: an invariant is violated already; every schedule behind it holds the
	// finding that is known.
	broken = "already unsafe: the smaller schedule is the finding"
	// sameState: sound for an executor that decides from its records, from what it is
	// handed and from what it is answered: at the same place it was told the same, and
	// everything that could be seen afterwards was the same.
	sameState = "same state: an earlier run was told the same at the same place and went on alike"
	// clash: the loader refuses the two lines beside each other.
	clash = "the two lines can not both be carried out"
)

func newResult(o Options) *Result {
	return &Result{Pruned: []Count{}, Left: []Left{}, Findings: []Finding{}, Unknown: []Doubt{}, base: o.Schedule}
}

func (r *Result) pruned(why string, n int) {
	for i := range r.Pruned {
		if r.Pruned[i].Why == why {
			r.Pruned[i].N += n
			return
		}
	}
	r.Pruned = append(r.Pruned, Count{why, n})
}

func (r *Result) left(fault, why string) {
	if l := (Left{fault, why}); !slices.Contains(r.Left, l) {
		r.Left = append(r.Left, l)
	}
}

// judge takes a run into the result.
func (r *Result) judge(n node, depth int) {
	r.Ran++
	for len(r.ByDepth) <= depth {
		r.ByDepth = append(r.ByDepth, 0)
	}
	r.ByDepth[depth]++
	if depth == 0 {
		r.Roots++
	}
	if n.run.dissent != "" {
		r.Unknown = append(r.Unknown, Doubt{texts(slices.Concat(n.root.lines, n.faults)), n.run.dissent})
	}
	switch n.run.judged.Verdict {
	case harness.Unsafe:
		r.found(n)
	case harness.Inconclusive:
		if n.run.fired {
			r.Unknown = append(r.Unknown, Doubt{texts(slices.Concat(n.root.lines, n.faults)), n.run.judged.Reason})
		}
	}
}

// found adds a run to the entry that breaks the same, or makes one. Runs come in the
// order of their number of lines, so that the first is the smallest; of two that are
// as small, the one whose words stand first in the menu is shown.
func (r *Result) found(n node) {
	broken, struck := Broken(n.run.judged), slices.Concat(n.root.lines, n.faults)
	made := Finding{Invariants: broken, Violations: n.run.judged.Violations, Schedule: scheduleOf(r.base, n), History: n.run.history}
	for i := range r.Findings {
		f := &r.Findings[i]
		if !slices.Equal(f.Invariants, broken) {
			continue
		}
		f.Times++
		if f.shows(struck) {
			return
		}
		f.minimal = append(f.minimal, struck)
		if shown := f.minimal[f.first]; len(struck) == len(shown) && rank(struck) < rank(shown) {
			f.first = len(f.minimal) - 1
			f.Schedule, f.Violations, f.History = made.Schedule, made.Violations, made.History
		}
		f.Also = f.others()
		return
	}
	made.Times, made.Also, made.minimal = 1, [][]string{}, [][]harness.Fault{struck}
	r.Findings = append(r.Findings, made)
}

// others are the smallest schedules but the one that is shown.
func (f *Finding) others() [][]string {
	out := [][]string{}
	for i, m := range f.minimal {
		if i != f.first {
			out = append(out, texts(m))
		}
	}
	return out
}

// rank is how far down the menu the lines stand.
func rank(lines []harness.Fault) int {
	sum := 0
	for _, f := range lines {
		sum += slices.IndexFunc(menu, func(d dish) bool { return f.Is(d.key) })
	}
	return sum
}

// shows reports whether one of its smallest schedules stands in the lines.
func (f *Finding) shows(struck []harness.Fault) bool {
	return slices.ContainsFunc(f.minimal, func(small []harness.Fault) bool { return within(small, struck) })
}

// within reports whether each line of the smaller schedule stands in the larger one,
// at the same kind of place.
func within(small, large []harness.Fault) bool {
	for _, f := range small {
		if !slices.ContainsFunc(large, func(g harness.Fault) bool { return alike(f, g) }) {
			return false
		}
	}
	return true
}

// alike: the same word at the same operation, whichever of its requests it is.
func alike(f, g harness.Fault) bool {
	return f.Name == g.Name && f.Where.Point == g.Where.Point && f.Where.Side == g.Where.Side
}

// Broken lists the invariants that an unsafe judgement finds violated, each once,
// sorted; what slowness, or a broken promise, can have brought about is no finding.
func Broken(j check.Judgement) []string {
	if j.Verdict != harness.Unsafe {
		return nil
	}
	var out []string
	for _, v := range j.Violations {
		if !slices.Contains(out, v.Invariant) {
			out = append(out, v.Invariant)
		}
	}
	slices.Sort(out)
	return out
}
