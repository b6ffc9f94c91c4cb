package check

import (
	"fmt"
	"slices"
)

// oneEffect: the ledger holds at most one effect of each part for each intent,
// however often it was retried. A twin that the producer minted is the same intent.
func oneEffect(v *View) (f Finding) {
	for _, r := range v.roots {
		if !r.sent && len(r.effects) == 0 && len(r.reports) == 0 {
			continue
		}
		f.Inspected++
		if len(r.effects) < 2 {
			continue
		}
		parts := map[string][]int{}
		var order []string
		for _, e := range r.effects {
			if parts[e.Part] == nil {
				order = append(order, e.Part)
			}
			parts[e.Part] = append(parts[e.Part], e.seq)
		}
		for _, part := range order {
			if seqs := parts[part]; len(seqs) > 1 && r.stood(part) > 1 {
				f.breach(r.name, "1 effect"+ofPart(part), fmt.Sprintf("%d effects%s", len(seqs), ofPart(part)), seqs...)
			}
		}
	}
	return f
}

// stood is how many effects of one part stood at once, at most.
func (r *root) stood(part string) (most int) {
	var undone []int
	for _, e := range r.effects {
		if e.Part == part && e.undone != nil {
			undone = append(undone, e.undone.seq)
		}
	}
	slices.Sort(undone)
	made, gone := 0, 0
	for _, e := range r.effects {
		if e.Part != part {
			continue
		}
		made++
		for gone < len(undone) && undone[gone] <= e.seq {
			gone++
		}
		most = max(most, made-gone)
	}
	return most
}

func ofPart(part string) string {
	if part == "" {
		return ""
	}
	return " of part " + part
}
