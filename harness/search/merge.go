package search

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/retrydrill/drill/harness"
)

// Merge puts the parts of one search together: the answer is that of the search that
// was not split. The parts may come in any order. The error says in one sentence what
// keeps them from being one search.
func Merge(parts []*Result) (*Result, error) {
	parts = slices.Clone(parts)
	slices.SortStableFunc(parts, func(a, b *Result) int { return a.Shard - b.Shard })
	if err := whole(parts); err != nil {
		return nil, err
	}
	first := parts[0]
	out := newResult(Options{})
	out.Boundaries, out.Roots, out.Stable = first.Boundaries, first.Roots, true
	for i, p := range parts {
		out.Likeness = out.And(p.Likeness)
		out.Ran, out.Unfired, out.NotRun = out.Ran+p.Ran, out.Unfired+p.Unfired, out.NotRun+p.NotRun
		for depth, n := range p.ByDepth {
			for len(out.ByDepth) <= depth {
				out.ByDepth = append(out.ByDepth, 0)
			}
			// Each part begins with all interleavings.
			if depth > 0 || i == 0 {
				out.ByDepth[depth] += n
			} else {
				out.Ran -= n
			}
		}
		for _, c := range p.Pruned {
			out.pruned(c.Why, c.N)
		}
		for _, l := range p.Left {
			out.left(l.Fault, l.Why)
		}
	}
	out.Findings, out.Unknown = findings(parts), doubts(parts)
	out.sort()
	return out, nil
}

// whole refuses what is not all parts of one search.
func whole(parts []*Result) error {
	if err := harness.Whole(len(parts), func(i int) (int, int) { return parts[i].Shard, parts[i].Shards }); err != nil {
		return err
	}
	for _, p := range parts {
		if first := parts[0]; p.Boundaries != first.Boundaries || p.Roots != first.Roots {
			return fmt.Errorf("part %d saw %d boundaries of the run without a fault, part %d saw %d: the executor does not do the same in each run",
				first.Shard, first.Boundaries, p.Shard, p.Boundaries)
		}
	}
	return nil
}

// findings counts all that was shown anew, in the order of one search.
func findings(parts []*Result) []Finding {
	told := map[string]Finding{}
	var shown []Shown
	for _, p := range parts {
		shown = append(shown, p.Shown...)
		for _, f := range p.Findings {
			told[fmt.Sprint(f.At)] = f
		}
	}
	out := []Finding{}
	for _, s := range inOrder(shown, func(s Shown) []int { return s.At }) {
		f, ok := told[fmt.Sprint(s.At)]
		if !ok {
			// What is no entry in its own part is none in the whole: it only counts.
			f = Finding{Invariants: s.Invariants, Condition: s.Condition, Schedule: harness.Schedule{Faults: s.Lines}}
		}
		f.At, f.Times = nil, 1
		out = Add(out, f)
	}
	return out
}

func doubts(parts []*Result) []Doubt {
	var all []Doubt
	for _, p := range parts {
		all = append(all, p.Unknown...)
	}
	out := inOrder(all, func(d Doubt) []int { return d.At })
	for i := range out {
		out[i].At = nil
	}
	return out
}

// inOrder sorts by place; what each part began with stands there once.
func inOrder[T any](all []T, at func(T) []int) []T {
	slices.SortStableFunc(all, func(a, b T) int { return slices.Compare(at(a), at(b)) })
	out := []T{}
	for _, t := range all {
		if at(t)[0] > 0 || !slices.ContainsFunc(out, func(o T) bool { return reflect.DeepEqual(o, t) }) {
			out = append(out, t)
		}
	}
	return out
}
