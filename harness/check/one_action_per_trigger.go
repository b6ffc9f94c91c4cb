package check

import "github.com/retrydrill/drill/harness"

// oneActionPerTrigger: a trigger asks for what one hand-over of it brings. Another
// action ID in a later hand-over of the same trigger is the same intent minted
// twice, and is neither done nor asked for under a key of its own.
func oneActionPerTrigger(v *View) (f Finding) {
	if len(v.actions) < 2 {
		return f
	}
	acts := v.acts()
	byTrigger := map[string][]*action{}
	seen := map[string]map[*action]bool{}
	var triggers []string
	for _, d := range v.deliveries {
		if d.Deliver == nil || d.Deliver.TriggerKey == "" {
			continue
		}
		t := d.Deliver.TriggerKey
		if seen[t] == nil {
			seen[t] = map[*action]bool{}
			triggers = append(triggers, t)
		}
		for _, x := range d.Deliver.Actions {
			if a := v.byName.get(x.Name); !seen[t][a] {
				seen[t][a] = true
				byTrigger[t] = append(byTrigger[t], a)
			}
		}
	}
	for _, t := range triggers {
		for i, later := range byTrigger[t] {
			for _, a := range byTrigger[t][:i] {
				if later.together(a) {
					continue
				}
				f.Inspected++
				if one, two := acts[a], acts[later]; one != nil && two != nil && one.against(two) {
					f.breach(a.name, "effects and keys of one action of the trigger", "those of two", one.seq, two.seq)
					break
				}
			}
		}
	}
	return f
}

// together reports whether one hand-over brought both.
func (a *action) together(b *action) bool {
	for _, g := range a.given {
		if g.delivery.brought.find(b) != nil {
			return true
		}
	}
	return false
}

// deed is what an action did: an effect, or a mutation under a key.
type deed struct {
	seq    int
	effect bool
	key    string
}

// against: both did something, and not under one key.
func (a *deed) against(b *deed) bool {
	return a.effect && b.effect || a.key != "" && b.key != "" && a.key != b.key ||
		a.effect && b.key != "" && a.key != b.key
}

// acts are the first things that each action did.
func (v *View) acts() map[*action]*deed {
	out := map[*action]*deed{}
	of := func(a *action, seq int) *deed {
		if out[a] == nil {
			out[a] = &deed{seq: seq}
		}
		return out[a]
	}
	for _, m := range v.sent {
		if m.action == nil || m.Key == "" {
			continue
		}
		if a := of(m.action, m.Seq); a.key == "" {
			a.key = m.Key
		}
	}
	for _, e := range v.effects {
		if e.action == nil || e.Kind == harness.Undo {
			continue
		}
		if a := of(e.action, e.seq); !a.effect {
			a.effect, a.seq = true, e.seq
		}
	}
	return out
}
