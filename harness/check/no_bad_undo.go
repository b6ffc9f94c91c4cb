package check

import "github.com/retrydrill/drill/harness"

// noBadUndo: an undo takes back what is proven to be refused or surplus, and nothing
// else. A step whose outcome is unknown is no proof: what was made before may be what
// its effect rests on.
func noBadUndo(v *View) (f Finding) {
	for _, u := range v.undos {
		if u.action == nil {
			continue
		}
		f.Inspected++
		r := u.action.root
		at := u.seq
		if u.attempt != nil {
			at = u.attempt.Seq
		}
		target := v.madeBy(u)
		switch {
		case target != nil && target.action != nil && target.action.root != r:
			f.breach(r.name, "an undo of the action's own effect", "the effect of "+target.action.root.name+" is taken back", target.seq, u.seq)
		case v.restsOn(r, u) != nil:
			f.breach(r.name, "no undo of what another effect rests on", "it is taken back while that one stands", v.restsOn(r, u).seq, u.seq)
		case !v.surplus(r, u) && !v.refusedBefore(u, at):
			f.breach(r.name, "an undo once a later step is known to have come to nothing, or the effect is surplus", "nothing proved that", at, u.seq)
		}
	}
	return f
}

// madeBy is the entry that made what the undo takes back.
func (v *View) madeBy(u *effect) *effect {
	for _, e := range v.effects {
		if e.Kind != harness.Undo && e.seq < u.seq && sameObject(e, u) {
			return e
		}
	}
	return nil
}

func sameObject(e, u *effect) bool { return e.Resource == u.Resource && e.Part == u.Part }

// restsOn is a standing effect of a later part of the intent.
func (v *View) restsOn(r *root, u *effect) *effect {
	later := false
	for _, part := range v.promises.Parts {
		if later {
			for _, e := range r.effects {
				if e.Part == part && e.seq < u.seq && (e.undone == nil || e.undone.seq > u.seq) {
					return e
				}
			}
		}
		later = later || part == u.Part
	}
	return nil
}

// surplus: another effect of the same part stood beside it.
func (v *View) surplus(r *root, u *effect) bool {
	n := 0
	for _, e := range r.effects {
		if e.Part == u.Part && e.seq < u.seq && (e.undone == nil || e.undone.seq >= u.seq) {
			n++
		}
	}
	return n > 1
}

// refusedBefore: before the undo was asked for, a step of the action had been refused
// for good, or all attempts at another one were known to have come to nothing (each
// refused for now, or shown absent by a look-up after it), after which who sent them may
// stop; or the hand-over brought no consent to go on.
func (v *View) refusedBefore(u *effect, at int) bool {
	if u.attempt != nil && !u.attempt.given.covered() {
		return true
	}
	open := map[string]int{}
	for _, a := range u.action.root.members {
		for _, it := range a.line {
			x := it.attempt
			if x == nil || it.Seq > at || x.undo {
				continue
			}
			switch {
			case it.lookup != nil && it.lookup.tells == tellsAbsent:
				for _, s := range v.promises.Steps {
					if _, sent := open[s.Op]; sent && s.FoundBy == x.Op {
						open[s.Op] = 0
					}
				}
			case !x.Changes:
			case x.resends != nil && it.turn == sends:
				// The transport sent it for the same call, whose answer it is.
			case it.turn == sends:
				open[x.Op]++
			case it.turn != gets || x.lost != nil:
			case x.class == harness.RejectedPermanent:
				return true
			case x.class == harness.RejectedTransient:
				open[x.Op]--
			}
		}
	}
	if made := v.madeBy(u); made != nil {
		delete(open, made.Op)
	}
	for _, n := range open {
		if n <= 0 {
			return true
		}
	}
	return false
}

// undoes reports whether an operation takes back what a step made.
func (v *View) undoes(op string) bool {
	if op == "" {
		return false
	}
	for _, s := range v.promises.Steps {
		if s.Undo == op {
			return true
		}
	}
	return false
}
