package check

import "github.com/retrydrill/drill/harness"

// answer takes in the target's own answer, which has not left for the worker yet.
func (b *builder) answer(e *harness.Event) {
	a := b.attempt(e.Attempt)
	if a == nil {
		return
	}
	if a.answered == nil || !e.Copy {
		a.answered = e
	}
	b.refuses(a, e)
}

// comes takes in that an answer left for the worker, or that there is none.
func (b *builder) comes(e *harness.Event) {
	a := b.attempt(e.Attempt)
	if a == nil {
		return
	}
	if e.Kind == harness.EvLost {
		b.loses(a, e)
	} else {
		b.passed(a, e)
	}
	b.put(a, e, a.got(e.Kind))
}

func (b *builder) loses(a *attempt, e *harness.Event) {
	a.lost, a.class = e, harness.Unknown
	if a.Changes && a.Warm && b.breaks(e.Fault) {
		if a.life.broken == nil {
			a.life.broken = map[form]*attempt{}
		}
		a.life.broken[a.form()] = a
	}
}

func (b *builder) passed(a *attempt, e *harness.Event) {
	a.passed = e
	if a.lost == nil && !a.unheard {
		a.class = b.classOf(e)
	}
	if d := b.Schedule.Limits.ClientDeadline; d > 0 && e.At-a.At >= d/2 {
		a.doubtful = true
	}
	a.life.unproven = append(a.life.unproven, a)
	if !a.Changes && a.class != harness.RejectedPermanent {
		return
	}
	if a.Changes && a.class.Definite() {
		a.life.unsaved = append(a.life.unsaved, a)
	}
	b.waits = b.waits || a.Changes && e.RetryAfter > 0
	if x := a.action; x != nil && a.class == harness.RejectedPermanent {
		x.refused = x.refused || a.Changes
		if e.Replayed || b.promises.Key.KeepsRefusal(e.Status) {
			if first := x.root.refused.Get(a.Key); first != nil {
				a.origin = first
			}
		}
	}
}

// refuses notes the first refusal that the target keeps under a key.
func (b *builder) refuses(a *attempt, e *harness.Event) {
	if a.action == nil || !a.Changes || a.Key == "" || e.Copy || b.classOf(e) != harness.RejectedPermanent || !b.promises.Key.KeepsRefusal(e.Status) {
		return
	}
	if first := a.action.root.refused.At(a.Key); *first == nil {
		*first = a
	}
}

// classOf is what an answer means: as it was recorded, else as the profile says.
func (b *builder) classOf(e *harness.Event) harness.Class {
	if e.Class != "" {
		return e.Class
	}
	return b.promises.Classify(e.Status, e.Code)
}
