package check

import "github.com/retrydrill/drill/harness"

// permanentStops: what the target refused for good is not asked for again in the
// same words under the same approval. A worker that began later is held to it only
// if the refusal was reported before, since only then it was surely recorded, and
// only if it was not handed over on another machine, which has no such record, and the
// store did not lose it; and where a busy machine may have let the worker miss one
// answer, two are needed. A worker whose store did not take the refusal, and that stopped
// there, is one that begins anew with its next hand-over.
//
// A newer consent is one to the action, whoever it was handed to: who still has the
// older one goes on under it, until what was sent then is refused too.
//
// Where the target does not say which answers are replays, a refusal under a key that
// was first sent under another consent may be the one that it gave then. What was asked
// for since goes out once more, under another key.
func permanentStops(v *View) (f Finding) {
	for _, a := range v.actions {
		if !a.refused {
			continue
		}
		// They are made at the first refusal.
		var refused map[refusal]*attempt
		var reported map[refusal]int
		var mine map[*life][]refusal
		var missed map[refusal]bool
		var under map[*attempt]consent
		for i := range a.line {
			it := &a.line[i]
			if it.turn == tells {
				if r := it.report.Report; r.Outcome == harness.Waiting && r.WaitsFor == harness.ForWorker {
					// It leaves the action to another one, and says nothing of a refusal.
					delete(mine, it.report.life)
					continue
				}
				for _, r := range mine[it.report.life] {
					if reported[r] == 0 {
						reported[r] = it.Seq
					}
				}
				delete(mine, it.report.life)
				continue
			}
			at := it.attempt
			switch {
			case it.turn == gets && at.class == harness.RejectedPermanent && at.heard != 0 && !at.doubtful:
				f.Inspected++
				if refused == nil {
					refused, reported = map[refusal]*attempt{}, map[refusal]int{}
					mine, missed = map[*life][]refusal{}, map[refusal]bool{}
				}
				k := refusal{at.operation(), at.Arguments, at.approval()}
				if c, newer := under[at.origin]; newer {
					k.approval = c
				}
				if at.late && !missed[k] {
					missed[k] = true
					continue
				}
				if refused[k] == nil {
					refused[k] = at
				}
				mine[at.life] = append(mine[at.life], k)
			case it.turn == sends && len(refused) > 0:
				k := refusal{at.operation(), at.Arguments, at.given.consent()}
				before := refused[k]
				if before == nil {
					continue
				}
				if before.Key != at.Key && v.mayBeOfBefore(before) {
					delete(refused, k)
					continue
				}
				unrefused := func(c consent) bool { return refused[refusal{k.op, k.arguments, c}] == nil }
				if c, ok := a.newer(k.approval, k.arguments, at.Seq, unrefused); ok {
					if under == nil {
						under = map[*attempt]consent{}
					}
					under[at] = c
					continue
				}
				later := reported[k] != 0 && !before.forgotten && at.given != nil && at.given.delivery.Seq > reported[k] && !at.given.delivery.elsewhere()
				same := at.life == before.life && !(before.forgotten && at.Delivery != before.Delivery)
				if same || later {
					f.breach(a.name, "no mutation after a permanent rejection", "a mutation with the same arguments and approval", before.passed.Seq, at.Seq)
					delete(refused, k)
				}
			}
		}
	}
	return f
}

// mayBeOfBefore reports whether a refusal that the target keeps, and does not mark when it
// replays it, came under a key that was first sent under another consent, or was recorded
// as sent before this one was given.
func (v *View) mayBeOfBefore(a *attempt) bool {
	k, r := &v.promises.Key, a.action.root
	if k.Marked || !k.KeepsRefusal(a.passed.Status) || a.Key == "" {
		return false
	}
	given := a.action.asConsents().Get(a.given.consent())
	recorded := r.noted != nil && given != nil && r.noted.Seq < given.delivery.Seq
	return recorded || r.firstUnder(a.Key).given.consent() != a.given.consent()
}

// refusal is what was refused: the same words under the same approval.
type refusal struct {
	op, arguments string
	approval      consent
}
