package check

import "github.com/retrydrill/drill/harness"

// distinctIntents: two actions may ask for the same thing, and both are meant. None
// is reported done by the effect of the other.
func distinctIntents(v *View) (f Finding) {
	byKey, delivered := map[string]*root{}, 0
	for _, r := range v.roots {
		if len(r.members[0].given) > 0 || len(r.reports) > 0 {
			delivered++
		}
		if k := r.members[0].businessKey(); k != "" && len(r.effects) > 0 && byKey[k] == nil {
			byKey[k] = r
		}
	}
	if delivered < 2 {
		return f
	}
	for _, r := range v.roots {
		done := lastDone(r.reports)
		if done == nil {
			continue
		}
		f.Inspected++
		other := v.owner[done.Report.Resource]
		if done.Report.Resource == "" && len(r.effects) == 0 {
			other = byKey[r.members[0].businessKey()]
		}
		if other == nil || other == r || r.made(done.Report.Resource) {
			continue
		}
		f.breach(r.name, "an effect of its own for each action", "done by the effect of "+other.name, other.effects[0].seq, done.Seq)
	}
	return f
}

// made reports whether an effect of this intent made or changed the resource.
func (r *root) made(resource string) bool {
	for _, e := range r.effects {
		if e.Resource == resource && e.Kind != harness.Undo {
			return true
		}
	}
	return false
}
