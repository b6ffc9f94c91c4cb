package random

import (
	"slices"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/search"
)

// Merge puts the parts of one search together, in any order: the answer is that of the
// search that was not split. The error says in one sentence what keeps them from being
// one search.
func Merge(parts []*Result) (*Result, error) {
	parts = slices.Clone(parts)
	slices.SortStableFunc(parts, func(a, b *Result) int { return a.Shard - b.Shard })
	if err := harness.Whole(len(parts), func(i int) (int, int) { return parts[i].Shard, parts[i].Shards }); err != nil {
		return nil, err
	}
	out := &Result{Likeness: search.Likeness{Stable: true}, Findings: []search.Finding{}, Unknown: []search.Doubt{}}
	for _, p := range parts {
		out.Likeness = out.And(p.Likeness)
		out.Checks, out.Unfired, out.Late = out.Checks+p.Checks, out.Unfired+p.Unfired, out.Late+p.Late
		out.Unknown = append(out.Unknown, p.Unknown...)
		for _, c := range p.Cases {
			out.cases = with(out.cases, c)
		}
	}
	slices.SortStableFunc(out.Unknown, func(a, b search.Doubt) int { return slices.Compare(a.At, b.At) })
	for i := range out.Unknown {
		out.Unknown[i].At = nil
	}
	slices.SortFunc(out.cases, func(a, b Case) int { return a.At - b.At })
	out.tell()
	return out, nil
}

// with takes a case into a list: of those that break the same the first one counts.
func with(all []Case, c Case) []Case {
	for i, o := range all {
		if !slices.Equal(o.Invariants, c.Invariants) {
			continue
		}
		times := o.Times + c.Times
		if c.At < o.At {
			all[i] = c
		}
		all[i].Times = times
		return all
	}
	return append(all, c)
}
