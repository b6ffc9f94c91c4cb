package check

import "github.com/retrydrill/drill/harness"

// trueReport: rejected means that nothing of these arguments was done or will be,
// and a report of done names the effect that it speaks of. A refusal of changed
// arguments is left to arguments-bound: an effect of other arguments is not meant.
func trueReport(v *View) (f Finding) {
	for _, r := range v.roots {
		ours := map[string]bool{}
		for _, e := range r.effects {
			ours[e.Resource] = true
		}
		latest := r.latestByArguments()
		for _, rep := range r.reports {
			if !rep.counted {
				continue
			}
			switch rep.Report.Outcome {
			case harness.Rejected:
				f.Inspected++
				if e := latest(rep); e != nil {
					f.breach(r.name, "no effect of these arguments beside a report of rejected", "the effect exists", rep.Seq, e.seq)
				}
			case harness.Done:
				if rep.Report.Resource == "" || len(ours) == 0 {
					continue
				}
				f.Inspected++
				if !ours[rep.Report.Resource] {
					f.breach(r.name, "the resource ID of the action's effect", "another resource ID", rep.Seq, r.effects[0].seq)
				}
			}
		}
	}
	return f
}

// latestByArguments finds the latest effect that contradicts a report of rejected.
// Where no approval covered the hand-over, the report refuses that consent: an
// effect of an earlier hand-over then does not contradict it.
func (r *root) latestByArguments() func(*report) *effect {
	latest := map[string]*effect{}
	var last *effect
	for _, e := range r.effects {
		latest[e.Arguments] = e
		last = e
	}
	return func(rep *report) *effect {
		e := last
		if g := rep.given; g != nil && g.Wire != "" {
			e = latest[g.Wire]
			if u := latest[""]; e == nil || u != nil && u.seq > e.seq {
				e = u
			}
		}
		if e != nil && !rep.given.covered() && e.seq < rep.given.delivery.Seq {
			return nil
		}
		return e
	}
}
