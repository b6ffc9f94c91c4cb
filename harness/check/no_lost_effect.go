package check

import (
	"math"
	"slices"

	"github.com/retrydrill/drill/harness"
)

// noLostEffect: what was reported done is in the ledger, and what ended at rejected
// with nothing done was refused for a reason that the history shows. A request that can
// not be put to an action is in doubt, and may be the one that a report speaks of.
func noLostEffect(v *View) (f Finding) {
	for _, r := range v.roots {
		last := lastCounted(r.reports)
		if last == nil {
			continue
		}
		if done := lastDone(r.reports); done != nil {
			missing := v.missing(r)
			if len(missing) > 0 && v.mayBe(done) {
				continue
			}
			f.Inspected++
			for _, part := range missing {
				f.breach(r.name, "an effect"+ofPart(part)+" behind a report of done", "no effect"+ofPart(part), done.Seq)
			}
			continue
		}
		if last.Report.Outcome != harness.Rejected || len(r.effects) == 0 && v.nobodys.mutations > 0 {
			continue
		}
		f.Inspected++
		if len(r.effects) == 0 && !v.refused(last) {
			f.breach(r.name, "an effect, or a definite rejection, missing approval or spent limit behind a report of rejected",
				"nothing was done and nothing refused it", last.Seq, last.standing.open.seq())
		}
	}
	return f
}

// lastDone is the last report of done that counts, or nil.
func lastDone(rs []*report) *report {
	for i := len(rs) - 1; i >= 0; i-- {
		if rs[i].counted && rs[i].Report.Outcome == harness.Done {
			return rs[i]
		}
	}
	return nil
}

// mayBe reports whether the ledger has an effect of no action that a report of done may
// speak of: the one that it names, or any where it names none.
func (v *View) mayBe(done *report) bool {
	return v.nobodys.effects > 0 && slices.ContainsFunc(v.effects, func(e *effect) bool {
		return e.action == nil && e.stood(math.MaxInt) && e.Kind != harness.Undo && (done.Report.Resource == "" || done.Report.Resource == e.Resource)
	})
}

// missing are the parts of the intent that the ledger has no effect of in the end.
func (v *View) missing(r *root) []string { return v.missingAt(r, math.MaxInt) }

// missingAt are those that it had no effect of at an event.
func (v *View) missingAt(r *root, seq int) []string {
	if len(v.promises.Parts) == 0 || len(r.effects) == 0 {
		if slices.ContainsFunc(r.effects, func(e *effect) bool { return e.stood(seq) }) {
			return nil
		}
		return []string{""}
	}
	var out []string
	for _, part := range v.promises.Parts {
		if !slices.ContainsFunc(r.effects, func(e *effect) bool { return e.Part == part && e.stood(seq) }) {
			out = append(out, part)
		}
	}
	return out
}

// stood reports whether the effect was there at an event.
func (e *effect) stood(seq int) bool { return e.seq < seq && (e.undone == nil || e.undone.seq > seq) }

// refused reports whether something stands behind a report of rejected.
func (v *View) refused(r *report) bool {
	s := &r.standing
	switch {
	case !r.given.covered(), v.spent(s), r.Report.ErrorClass == harness.AttemptsSpent && max(s.mutations, r.action.root.told) > 0:
		// What the record tells of may have left, and counts.
		return true
	case r.action.isAlias() && r.action.root.refusedBefore(r.Seq):
		// An ID that was minted beside the first brings no new approval of the intent.
		return true
	case r.action.isAlias() && r.Report.ErrorClass == harness.AttemptsSpent && r.action.root.triedBefore(r.Seq):
		// Nor does it bring new attempts.
		return true
	case s.own == 0 && r.action.root.refusedAsAnother(r.Seq):
		// It was asked for under an ID that was minted beside, and the intent is one.
		return true
	case s.own == 0:
		return s.refused.has(r.given.consent()) || s.refusal != nil && r.answeredBy(s.refusal)
	}
	switch {
	case s.unsure:
		return true
	case s.decided == nil || !s.decided.class.Rejected():
		return false
	case s.open != nil && (s.open.Seq > s.decided.Seq || s.decided.class != harness.RejectedPermanent):
		// What is in doubt beside a refusal for good is for other invariants; it was refused.
		return false
	case r.given != nil && s.refusal != nil && r.answeredBy(s.refusal):
		// Another worker was refused since, and recorded it.
		return true
	}
	return s.decided.approval() == r.given.consent() || r.answeredBy(s.decided) || r.action.isAlias() && s.decided.origin.action != r.action
}

// answeredBy reports whether a refusal answers the consent that the report goes by: it is
// of a request that was sent since that was given, by whoever, under this consent or
// another. Who has an older one goes on under the newer.
func (r *report) answeredBy(refused *attempt) bool {
	if r.given == nil {
		return true
	}
	first := r.action.asConsents().Get(r.given.consent())
	return first != nil && first.delivery.Seq < refused.origin.Seq
}

// refusedBefore reports whether the intent was refused under the ID that it had first.
func (r *root) refusedBefore(seq int) bool {
	return r.underFirst(func(it *item) bool {
		return it.turn == gets && it.Seq < seq && it.attempt.class.Rejected()
	})
}

// refusedAsAnother reports whether the intent was refused for good under an ID that it had
// later.
func (r *root) refusedAsAnother(seq int) bool {
	return r.has(func(it *item) bool {
		return it.turn == gets && it.Seq < seq && it.attempt.class == harness.RejectedPermanent && it.attempt.action.isAlias()
	})
}

// triedBefore reports whether the intent was tried under the ID that it had first.
func (r *root) triedBefore(seq int) bool {
	return r.underFirst(func(it *item) bool { return it.turn == sends && it.Seq < seq })
}

// underFirst looks for something that happened under the ID that the intent had first.
func (r *root) underFirst(what func(*item) bool) bool {
	return slices.ContainsFunc(r.members, func(a *action) bool { return !a.isAlias() && a.has(what) })
}

// seq is the attempt's event, or 0.
func (a *attempt) seq() int {
	if a == nil {
		return 0
	}
	return a.Seq
}
