package search

import (
	"cmp"
	"slices"

	"github.com/retrydrill/drill/harness"
)

// Result states the space: what was there, what ran, and what did not and why.
type Result struct {
	// Shard of Shards is what part of the space this is; both are absent of a whole.
	Shard  int `json:"shard,omitempty"`
	Shards int `json:"shards,omitempty"`
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
	// Likeness of two runs without a fault, and of each with one until that struck.
	Likeness
	Findings []Finding `json:"findings"`
	// Unknown are schedules that could not be judged.
	Unknown []Doubt `json:"unknown"`
	// Shown are all schedules that broke something, in a shard.
	Shown []Shown `json:"shown,omitempty"`

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
	// At is the schedule's place in the whole space, in a shard.
	At []int `json:"at,omitempty"`
}

// The reasons for which a schedule is not run, or the search does not go on from one.
const (
	// broken: an invariant is violated already, and every schedule behind it holds the
	// finding that is known. What else breaks there shows once that is repaired.
	broken = "already unsafe: the smaller schedule is the finding"
	// diedAlike: between the two places the life did nothing that anybody could see, and
	// its memory is gone with it.
	diedAlike = "dies at the next write: the same as behind the write before, between which nothing happened"
	// readAlike: a read changes nothing, and its sender can not tell whether it arrived.
	readAlike = "the answer to a read is lost: the same as the read itself, which changes nothing"
	// unheard: needs_review acknowledges nothing, so that there is nothing to lose.
	unheard = "the report of needs_review is lost: it acknowledges nothing anyway"
	// tooLate: what was held back for another worker arrived when its sender had given up.
	tooLate = "a held request arrives when its sender gave up: tried where a repeat is harmless"
	// clash: the loader refuses the two lines beside each other.
	clash = "the two lines can not both be carried out"

	uncarried = "this world does not carry it out"
)

func newResult(o Options) *Result {
	return &Result{Pruned: []Count{}, Left: []Left{}, Findings: []Finding{}, Unknown: []Doubt{}, base: o.Schedule, Shard: o.Shard, Shards: o.Shards}
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

// sort brings what is counted by word into an order that does not depend on what came
// first.
func (r *Result) sort() {
	slices.SortFunc(r.Pruned, func(a, b Count) int { return cmp.Or(cmp.Compare(b.N, a.N), cmp.Compare(a.Why, b.Why)) })
	slices.SortFunc(r.Left, func(a, b Left) int { return cmp.Or(cmp.Compare(a.Fault, b.Fault), cmp.Compare(a.Why, b.Why)) })
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
	var at []int
	if r.Shards > 1 {
		at = append([]int{depth}, n.at...)
	}
	if n.run.dissent != "" && !n.run.late {
		r.Unknown = append(r.Unknown, Doubt{n.words(), n.run.dissent, at})
	}
	r.Likeness = r.And(n.run.like)
	switch verdict := n.run.judged.Verdict; {
	case n.run.late:
	case verdict == harness.Unsafe:
		f := Finding{Invariants: Broken(n.run.judged), Violations: n.run.judged.Violations, Schedule: scheduleOf(r.base, n), Condition: n.root.condition,
			Times: 1, At: at, History: n.run.history}
		r.Findings = Add(r.Findings, f)
		if at != nil {
			r.Shown = append(r.Shown, Shown{at, f.Condition, f.Schedule.Faults, f.Invariants})
		}
	case verdict == harness.Inconclusive:
		if n.run.fired {
			r.Unknown = append(r.Unknown, Doubt{n.words(), n.run.judged.Reason, at})
		}
	}
}
