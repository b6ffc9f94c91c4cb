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
		k := stopping{v: v, action: a, found: &f}
		for i := range a.line {
			switch it := &a.line[i]; {
			case it.turn == tells:
				k.tells(it)
			case it.turn == gets:
				k.gets(it)
			case it.turn == sends && len(k.refused) > 0:
				k.sends(it)
			}
		}
	}
	return f
}

// stopping is what is known so far of the refusals of one action.
type stopping struct {
	v      *View
	action *action
	found  *Finding
	// refused are the attempts that were refused for good, reported where a report came
	// after that. They are made at the first refusal.
	refused  map[refusal]*attempt
	reported map[refusal]int
	// mine are the refusals that a life heard and has not reported yet.
	mine map[*life][]refusal
	// missed: one came that the worker may not have heard.
	missed map[refusal]bool
	// under are the newer consents that attempts went on under.
	under map[*attempt]consent
}

// tells is a report: what its life was refused is known from then on.
func (k *stopping) tells(it *item) {
	// Who leaves the action to another worker says nothing of a refusal.
	if r := it.report.Report; r.Outcome != harness.Waiting || r.WaitsFor != harness.ForWorker {
		for _, r := range k.mine[it.report.life] {
			if k.reported[r] == 0 {
				k.reported[r] = it.Seq
			}
		}
	}
	delete(k.mine, it.report.life)
}

// gets is an answer.
func (k *stopping) gets(it *item) {
	at := it.attempt
	if at.class != harness.RejectedPermanent || at.heard == 0 || at.doubtful {
		return
	}
	k.found.Inspected++
	if k.refused == nil {
		k.refused, k.reported = map[refusal]*attempt{}, map[refusal]int{}
		k.mine, k.missed = map[*life][]refusal{}, map[refusal]bool{}
	}
	r := refusal{at.operation(), at.Arguments, at.approval()}
	if c, newer := k.under[at.origin]; newer {
		r.approval = c
	}
	if at.late && !k.missed[r] {
		k.missed[r] = true
		return
	}
	if k.refused[r] == nil {
		k.refused[r] = at
	}
	k.mine[at.life] = append(k.mine[at.life], r)
}

// sends is a mutation.
func (k *stopping) sends(it *item) {
	at := it.attempt
	r := refusal{at.operation(), at.Arguments, at.given.consent()}
	before := k.refused[r]
	if before == nil {
		return
	}
	if before.Key != at.Key && k.v.mayBeOfBefore(before) {
		delete(k.refused, r)
		return
	}
	unrefused := func(c consent) bool { return k.refused[refusal{r.op, r.arguments, c}] == nil }
	if c, ok := k.action.newer(r.approval, r.arguments, at.Seq, unrefused); ok {
		if k.under == nil {
			k.under = map[*attempt]consent{}
		}
		k.under[at] = c
		return
	}
	later := k.reported[r] != 0 && !before.forgotten && at.given != nil && at.given.delivery.Seq > k.reported[r] && !at.given.delivery.elsewhere()
	same := at.life == before.life && !(before.forgotten && at.Delivery != before.Delivery)
	if same || later {
		k.found.breach(k.action.name, "no mutation after a permanent rejection", "a mutation with the same arguments and approval", before.passed.Seq, at.Seq)
		delete(k.refused, r)
	}
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
