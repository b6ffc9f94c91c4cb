package report

import (
	"fmt"
	"slices"

	"github.com/retrydrill/drill/harness"
)

// Part is what part of a run was run. A run is split into units, each a scenario at a
// target, of which every Shards-th belongs to a part.
type Part struct {
	Shard  int `json:"shard"`
	Shards int `json:"shards"`
	// Units counts those of the whole run.
	Units int `json:"units"`
	// Targets are those of the whole run.
	Targets []string `json:"targets"`
	// Drill is the version that ran it, Asked the digest of all that was asked for.
	Drill string `json:"drill"`
	Asked string `json:"asked"`
}

// Has reports whether a unit, counted from 0, is of this part.
func (p Part) Has(unit int) bool { return unit%p.Shards == p.Shard-1 }

// Merge puts the parts of a run together, in any order: the answer is that of the run
// that was not split. The error says in one sentence what keeps them from being one.
func Merge(parts []*Run) (*Run, error) {
	for _, r := range parts {
		if r.Part == nil {
			return nil, harness.Whole(1, func(int) (int, int) { return 0, 0 })
		}
	}
	parts = slices.Clone(parts)
	slices.SortStableFunc(parts, func(a, b *Run) int { return a.Part.Shard - b.Part.Shard })
	if err := harness.Whole(len(parts), func(i int) (int, int) { return parts[i].Part.Shard, parts[i].Part.Shards }); err != nil {
		return nil, err
	}
	var units [][][]Trial
	for _, r := range parts {
		p, mine := *r.Part, byScenario(r.Trials)
		want := 0
		for u := range p.Units {
			if p.Has(u) {
				want++
			}
		}
		switch {
		case p.Units != parts[0].Part.Units:
			return nil, fmt.Errorf("part %d is of a run of %d scenarios, part 1 of one of %d", p.Shard, p.Units, parts[0].Part.Units)
		case len(mine) != want:
			return nil, fmt.Errorf("part %d of %d did not come to its end: it has %d of %d scenarios", p.Shard, p.Shards, len(mine), want)
		}
		units = append(units, mine)
	}
	out := &Run{Schema: Schema, Seed: parts[0].Seed}
	for u := range parts[0].Part.Units {
		for _, t := range units[u%len(parts)][u/len(parts)] {
			out.Add(t)
		}
	}
	return out, nil
}
