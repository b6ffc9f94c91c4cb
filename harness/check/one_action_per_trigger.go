package check

import (
	"maps"
	"slices"

	"github.com/retrydrill/drill/harness"
)

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
			if a := v.byName.Get(x.Name); !seen[t][a] {
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
				if one, two := against(a, later, acts[a], acts[later]); one != nil {
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
		if b.by(g.delivery) != nil {
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

// deeds are the first things that an action did, by step.
type deeds map[string]*deed

// against: both did something at one step, and not under one key.
func (a *deed) against(b *deed) bool {
	return a.effect && b.effect || a.key != "" && b.key != "" && a.key != b.key ||
		a.effect && b.key != "" && a.key != b.key
}

// against returns what each of them did that the other should not have done beside it,
// or nil. A step that one leaves and the other makes is one intent that goes on, unless
// the key is that of the second ID alone.
func against(a, later *action, one, two deeds) (mine, other *deed) {
	for _, op := range slices.Sorted(maps.Keys(two)) {
		// The first ID's key of another generation is that of the intent, too.
		goesOn := a.isOf(two[op].key) && !later.isOf(two[op].key)
		switch did := one[op]; {
		case did != nil && did.against(two[op]) && (did.effect && two[op].effect || !goesOn):
			return did, two[op]
		case did == nil && later.isOf(two[op].key) && !a.isOf(two[op].key):
			return one.first(), two[op]
		}
	}
	return nil, nil
}

// first is the earliest of them, or nil.
func (d deeds) first() (out *deed) {
	for _, op := range slices.Sorted(maps.Keys(d)) {
		if out == nil || d[op].seq < out.seq {
			out = d[op]
		}
	}
	return out
}

// acts are the first things that each action did.
func (v *View) acts() map[*action]deeds {
	out := map[*action]deeds{}
	of := func(a *action, op string, seq int) *deed {
		if !v.steps {
			op = ""
		}
		if out[a] == nil {
			out[a] = deeds{}
		}
		if out[a][op] == nil {
			out[a][op] = &deed{seq: seq}
		}
		return out[a][op]
	}
	for _, m := range v.sent {
		if m.action == nil || m.Key == "" {
			continue
		}
		if a := of(m.action, m.Op, m.Seq); a.key == "" {
			a.key = m.Key
		}
	}
	for _, e := range v.effects {
		if e.action == nil || e.Kind == harness.Undo {
			continue
		}
		if a := of(e.action, e.Op, e.seq); !a.effect {
			a.effect, a.seq = true, e.seq
		}
	}
	return out
}
