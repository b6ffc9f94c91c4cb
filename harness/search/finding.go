package search

import (
	"slices"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/check"
)

// Finding is one distinct fault of the executor: the invariants that break, and one
// smallest schedule that breaks them.
type Finding struct {
	Invariants []string            `json:"invariants"`
	Violations []harness.Violation `json:"violations"`
	// Schedule has no line that could go, and none that could be a plainer one.
	Schedule harness.Schedule `json:"schedule"`
	// Condition is the setting that the schedule needs beside its lines, or empty.
	Condition string `json:"condition,omitempty"`
	// Times counts the schedules that showed it.
	Times int `json:"times"`
	// At is the schedule's place in the whole space, in a shard.
	At []int `json:"at,omitempty"`

	// History is what the verdict was drawn from.
	History *harness.History `json:"-"`
}

// Lines are the smallest schedule as it is written, its condition first.
func (f Finding) Lines() []string {
	out := harness.Lines(f.Schedule.Faults)
	if f.Condition != "" {
		out = append([]string{f.Condition}, out...)
	}
	return out
}

// Shown is a schedule that broke something. The parts of a search list them all, so
// that whoever puts the parts together counts as one search would.
type Shown struct {
	At         []int           `json:"at"`
	Condition  string          `json:"condition,omitempty"`
	Lines      []harness.Fault `json:"lines"`
	Invariants []string        `json:"invariants"`
}

// Add takes a finding into a list: it counts for the entry that breaks the same and
// whose schedule it contains, or is an entry. Findings come in the order of their
// number of lines, so that the first is the smallest.
func Add(all []Finding, f Finding) []Finding {
	for i := range all {
		if slices.Equal(all[i].Invariants, f.Invariants) && all[i].within(f.Condition, f.Schedule.Faults) {
			all[i].Times += f.Times
			return all
		}
	}
	return append(all, f)
}

// within reports whether the finding's schedule stands in a larger one: its condition,
// and each of its lines at the same kind of place.
func (f Finding) within(condition string, lines []harness.Fault) bool {
	if f.Condition != "" && f.Condition != condition {
		return false
	}
	for _, small := range f.Schedule.Faults {
		if !slices.ContainsFunc(lines, func(g harness.Fault) bool { return alike(small, g) }) {
			return false
		}
	}
	return true
}

// alike: the same word, or a plainer one, at the same operation, whichever of its
// requests it is.
func alike(small, g harness.Fault) bool {
	if small.Where.Point != g.Where.Point || small.Where.Side != g.Where.Side {
		return false
	}
	return small.Name == g.Name || small.Name == "close" && small.Where.IsOperation() && slices.Contains(likeClose, g.Name)
}

// likeClose are the words that leave a client without the answer, as close does, the
// plainest of them.
var likeClose = []string{"reset", "hang", "cut", "truncate", "status", "html", "delay"}

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
