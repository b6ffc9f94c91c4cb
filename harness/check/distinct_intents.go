package check

import "slices"

// distinctIntents: two actions may ask for the same thing, and both are meant. None
// is reported done by the effect of the other.
//
// A report that names no resource shows that only where nothing was recorded or asked
// for in the action's own name, and the other's effect was there. Who sent a request or
// began a record, and takes that for the effect, tells the two apart: what is wrong there
// is the claim to be done.
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
	for _, r := range v.roots {
		done := lastDone(r.reports)
		if done == nil {
			continue
		}
		f.Inspected++
		other := v.owner.Get(done.Report.Resource)
		if done.Report.Resource == "" && len(r.effects) == 0 && !v.begun(r) {
			other = v.alikeDone(r, done.Seq)
		}
		if other == nil || other == r || r.makes(done.Report.Resource) {
			continue
		}
		f.breach(r.name, "an effect of its own for each action", "done by the effect of "+other.name, other.effects[0].seq, done.Seq)
	}
	return f
}

// begun reports whether something was recorded or asked for in the intent's own name.
func (v *View) begun(r *root) bool {
	return r.sent || slices.ContainsFunc(v.written, func(w writing) bool {
		return w.book != nil && slices.ContainsFunc(r.members, func(a *action) bool { return a.name == w.Action })
	})
}

// alikeDone is another intent that has the same business key, and an effect before an
// event; or nil.
func (v *View) alikeDone(r *root, before int) *root {
	key := r.members[0].businessKey()
	i := slices.IndexFunc(v.roots, func(o *root) bool {
		return o != r && key != "" && o.members[0].businessKey() == key && len(o.effects) > 0 && o.effects[0].seq < before
	})
	if i < 0 {
		return nil
	}
	return v.roots[i]
}
