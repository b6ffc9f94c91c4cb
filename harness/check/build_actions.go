package check

import (
	"slices"

	"github.com/retrydrill/drill/harness"
)

// met is what the first look at an event tells: its kind, and the number of the action
// that it names, or 0.
type met struct {
	kind   kind
	action int32
}

// meetAll learns of actions and twins before anything is attributed to them.
func (b *builder) meetAll() {
	events := b.Events
	all := slices.Grow(b.met[:0], len(events))[:len(events)]
	// Most names are one letter, and most events name the same action as the one before.
	letter, named := -1, int32(0)
	for i := range all {
		e := &events[i]
		m := met{kind: kindOf(e.Kind)}
		switch name := e.Action; {
		case m.kind == evDeliver || m.kind == evEffect:
			m.action = b.meets(e, m.kind)
		case len(name) == 1 && int(name[0]) == letter:
			m.action = named
		case name != "":
			m.action = b.know(name, "").number
			if len(name) == 1 {
				letter, named = int(name[0]), m.action
			}
		}
		if m.kind == evRecord {
			b.keeps = true
		}
		all[i] = m
	}
	b.met = all
}

// named is the action that the i-th event names, or nil.
func (b *builder) named(i int) *action {
	if n := b.met[i].action; n > 0 {
		return b.actions[n-1]
	}
	return b.nameless
}

// meets learns of what a hand-over brings, of an object that is a stranger's, or of the
// action that the event names.
func (b *builder) meets(e *harness.Event, k kind) int32 {
	switch {
	case k == evDeliver && e.Deliver != nil:
		b.meet(e.Deliver)
	case k == evEffect && e.Effect != nil && e.Effect.Foreign:
		b.foreign.Set(e.Effect.Resource, b.room.effect(e))
	case e.Action != "":
		return b.know(e.Action, "").number
	}
	return 0
}

// meet learns of what a hand-over brings.
func (b *builder) meet(d *harness.Delivered) {
	for i := range d.Actions {
		x := &d.Actions[i]
		b.know(x.Name, x.ID)
		if x.As != "" {
			b.know(x.As, "")
			b.as.Set(x.Name, x.As)
		}
	}
}

// know returns the action of that name.
func (b *builder) know(name, id string) *action {
	a := b.latest
	if a == nil || a.name != name {
		a = b.knowName(name)
		b.latest = a
	}
	if id == "" || len(a.ids) > 0 && a.ids[0] == id {
		return a
	}
	if first := b.byID.At(id); *first == nil {
		*first = a
		a.ids = append(a.ids, id)
	}
	return a
}

func (b *builder) knowName(name string) *action {
	at := b.byName.At(name)
	if *at == nil {
		*at = b.room.action(name)
		b.actions = append(b.actions, *at)
		(*at).number = int32(len(b.actions))
		if name == "" {
			b.nameless = *at
		}
	}
	return *at
}

// root puts each action to the intent that it stands for.
func (b *builder) root() {
	for _, a := range b.actions {
		if len(b.as.Entries) == 0 {
			b.stands(a, b.room.root(a.name))
			continue
		}
		name := a.name
		for range len(b.as.Entries) {
			next := b.as.Find(name)
			if next == nil {
				break
			}
			name = *next
		}
		if b.as.Find(name) != nil {
			// They are said to stand for each other.
			name = a.name
		}
		r := b.intents.At(name)
		if *r == nil {
			*r = b.room.root(name)
		}
		b.stands(a, *r)
	}
}

// stands puts an action to its intent.
func (b *builder) stands(a *action, r *root) {
	if len(r.members) == 0 {
		b.roots = append(b.roots, r)
	}
	a.root = r
	r.members = append(r.members, a)
}
