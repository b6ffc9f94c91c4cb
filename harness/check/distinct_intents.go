package check

// distinctIntents: two actions may ask for the same thing, and both are meant. None
// is reported done by the effect of the other.
func distinctIntents(v *View) (f Finding) {
	if len(v.roots) < 2 {
		return f
	}
	delivered := 0
	for _, r := range v.roots {
		if len(r.members[0].given) > 0 || len(r.reports) > 0 {
			delivered++
		}
	}
	if delivered < 2 {
		return f
	}
	byKey := map[string]*root{}
	for _, r := range v.roots {
		if k := r.members[0].businessKey(); k != "" && len(r.effects) > 0 && byKey[k] == nil {
			byKey[k] = r
		}
	}
	for _, r := range v.roots {
		done := lastDone(r.reports)
		if done == nil {
			continue
		}
		f.Inspected++
		other := v.owner.Get(done.Report.Resource)
		if done.Report.Resource == "" && len(r.effects) == 0 {
			other = byKey[r.members[0].businessKey()]
		}
		if other == nil || other == r || r.makes(done.Report.Resource) {
			continue
		}
		f.breach(r.name, "an effect of its own for each action", "done by the effect of "+other.name, other.effects[0].seq, done.Seq)
	}
	return f
}
