package check

import (
	"slices"

	"github.com/retrydrill/drill/harness"
)

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
				if !r.makes(rep.Report.Resource) {
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
		// effect of an earlier hand-over does not contradict it. Neither does one that
		// was asked for after a newer consent than the report's was given (re-approve),
		// whoever that was handed to.
		if !rep.given.covered() && e.seq < rep.given.delivery.Seq {
			return nil
		}
		if e.renewed(rep) || e.unknown(rep) {
			continue
		}
		return e
	}
	return nil
}

// unknown reports whether who asked for the effect could not know of the refusal that was
// reported: the store lost the record of it after it had acknowledged that, another life
// asked, and it asked after the report.
func (e *effect) unknown(rep *report) bool {
	s := rep.standing
	return rep.life.lost.has(rep.action) && s.decided != nil && s.decided.class == harness.RejectedPermanent && s.open == nil &&
		e.attempt != nil && e.attempt.life != rep.life && e.attempt.Seq > rep.Seq
}

// renewed reports whether the effect was asked for under another approval of these
// arguments than the report speaks of: one that was handed over since, or the same one
// granted where the report refused one that was not; or, where it was asked for after
// the report, one that another worker had by then.
func (e *effect) renewed(rep *report) bool {
	if rep.given == nil || e.action == nil {
		return false
	}
	asked := e.seq
	if e.attempt != nil {
		asked = e.attempt.Seq
	}
	since := func(g *given) bool {
		return g.Covered && g.delivery.Seq > rep.Seq && g.delivery.Seq < asked && (g.Approval.ID != rep.given.Approval.ID || !rep.given.Covered)
	}
	if slices.ContainsFunc(e.action.brought(e.Arguments), since) {
		return true
	}
	_, newer := e.action.newer(rep.given.consent(), e.Arguments, asked, func(consent) bool { return true })
	return newer && asked > rep.Seq
}
