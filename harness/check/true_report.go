package check

import "github.com/retrydrill/drill/harness"

// trueReport: rejected means that nothing of these arguments was done or will be,
// and a report of done names the effect that it speaks of. A refusal of changed
// arguments is left to arguments-bound: an effect of other arguments is not meant.
func trueReport(v *View) (f Finding) {
	for _, r := range v.roots {
		for _, rep := range r.reports {
			if !rep.counted {
				continue
			}
			switch rep.Report.Outcome {
			case harness.Rejected:
				f.Inspected++
				if e := r.contradicting(rep); e != nil {
					f.breach(r.name, "no effect of these arguments beside a report of rejected", "the effect exists", rep.Seq, e.seq)
				}
			case harness.Done:
				if rep.Report.Resource == "" || len(r.effects) == 0 {
					continue
				}
				f.Inspected++
				if !r.made.get(rep.Report.Resource) {
					f.breach(r.name, "the resource ID of the action's effect", "another resource ID", rep.Seq, r.effects[0].seq)
				}
			}
		}
	}
	return f
}

// contradicting finds the latest effect that contradicts a report of rejected.
func (r *root) contradicting(rep *report) *effect {
	for i := len(r.effects) - 1; i >= 0; i-- {
		e := r.effects[i]
		if e.undone != nil && e.undone.seq < rep.Seq {
			continue
		}
		if g := rep.given; g != nil && g.Wire != "" && !alike(g.WireOf(e.Op), e.Arguments) {
			continue
		}
		// Where no approval covered the hand-over, the report refuses that consent: an
		// effect of an earlier hand-over does not contradict it. Neither does one under
		// a consent that was given only after the report (re-approve).
		if !rep.given.covered() && e.seq < rep.given.delivery.Seq {
			return nil
		}
		if renewed(rep, under(e)) {
			continue
		}
		return e
	}
	return nil
}

// renewed reports whether a hand-over after the report brought another approval, or
// the same one granted where the report refused one that was not.
func renewed(rep *report, g *given) bool {
	return g != nil && rep.given != nil && g.Covered && g.delivery.Seq > rep.Seq &&
		(g.Approval.ID != rep.given.Approval.ID || !rep.given.Covered)
}
