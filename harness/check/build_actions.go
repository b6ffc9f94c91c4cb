package check

import "github.com/retrydrill/drill/harness"

// meetAll learns of actions, twins and strangers' objects before anything is attributed to
// them.
func (b *builder) meetAll() {
	events := b.Events
	for i := range events {
		e := &events[i]
		switch e.Kind {
		case harness.EvDeliver:
			if e.Deliver != nil {
				b.meet(e.Deliver)
				continue
			}
		case harness.EvEffect:
			if e.Effect != nil && e.Effect.Foreign {
				b.foreign.Set(e.Effect.Resource, b.room.effect(e))
				continue
			}
		case harness.EvRecord:
			b.keeps = true
		}
		if name := e.Action; name != "" && b.of(name) == nil {
			b.know(name, "")
		}
	}
}

// of is the action of a name, or nil. Most names are one letter, and most
// events name the same action as the one before.
func (b *builder) of(name string) *action {
	if len(name) == 1 && int(name[0]) == b.letter {
		return b.latest
	}
	return b.find(name)
}

func (b *builder) find(name string) *action {
	a := b.byName.Get(name)
	if a != nil {
		b.names(a)
	}
	return a
}

// names notes that an action was named.
func (b *builder) names(a *action) {
	if b.latest, b.letter = a, noLetter; len(a.name) == 1 {
		b.letter = int(a.name[0])
	}
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
		b.names(a)
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
