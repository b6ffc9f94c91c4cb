package check

import (
	"slices"

	"github.com/retrydrill/drill/harness"
)

// lookup is one answered look-up over all its pages, and what it tells about one
// action.
type lookup struct {
	// begun is when its first page was asked for, ended when its last page left.
	begun, ended int
	found        []harness.Found
	tells        evidence
}

// evidence is what a look-up tells. From several on it needs more to tell apart.
type evidence int

const (
	// tellsNothing: it was refused, or its outcome is unknown.
	tellsNothing evidence = iota
	// tellsAbsent: nothing that could be the action's.
	tellsAbsent
	// tellsOurs: exactly the action's own.
	tellsOurs
	// tellsSeveral: several that could be, and nothing that tells them apart.
	tellsSeveral
	// tellsNamesakes: several that stand bear the action's own reference. One of them is
	// too many, whoever made it.
	tellsNamesakes
	// tellsForeign: one that could be, and that is somebody else's.
	tellsForeign
)

type pages struct {
	action *action
	op     string
}

// page adds one answered page of a look-up. It returns the look-up once it is
// whole.
func (v *View) page(a *attempt, x *action) *lookup {
	at := pages{x, a.operation()}
	var l *lookup
	if len(a.life.pages) > 0 {
		l = a.life.pages[at]
		delete(a.life.pages, at)
	}
	if l == nil {
		l = v.room.lookup(a.Seq)
	}
	e := a.passed
	if l.found == nil {
		l.found = slices.Clip(e.Found)
	} else {
		l.found = append(l.found, e.Found...)
	}
	if len(e.Found) == 0 && e.Resource != "" && a.class == harness.Confirmed {
		l.found = append(l.found, harness.Found{Resource: e.Resource, Reference: e.Reference, Arguments: e.Arguments})
	}
	if e.More && a.class == harness.Confirmed {
		if a.life.pages == nil {
			a.life.pages = map[pages]*lookup{}
		}
		a.life.pages[at] = l
		return nil
	}
	l.ended = e.Seq
	l.tells = v.tells(l, x, a)
	v.puzzles = v.puzzles || l.tells >= tellsSeveral
	return l
}

// tells weighs what was found. A reference tells apart, unless several that stand bear
// it. Without one, whatever has these arguments could be the action's, unless all that the
// executor made so far bears one; and at a target with unique names whatever has this name.
func (v *View) tells(l *lookup, x *action, a *attempt) evidence {
	if a.class != harness.Confirmed {
		return tellsNothing
	}
	var could []harness.Found
	named, stands := false, ""
	for i := range l.found {
		f := &l.found[i]
		switch {
		case x.root.isOf(f.Reference):
			if named = true; f.Undone {
				continue
			}
			if stands != "" && stands != f.Resource {
				return tellsNamesakes
			}
			stands = f.Resource
		case f.Reference == "" && (v.promises.UniqueNames || (v.bare || !v.stamped) && alike(f.Arguments, x.wire())):
			could = append(could, *f)
		}
	}
	switch {
	case named:
		return tellsOurs
	case len(could) == 0:
		return tellsAbsent
	case len(could) > 1:
		return tellsSeveral
	case v.foreign.Find(could[0].Resource) != nil:
		return tellsForeign
	}
	if owner := v.owner.Get(could[0].Resource); owner != nil && owner != x.root {
		return tellsForeign
	}
	return tellsOurs
}
