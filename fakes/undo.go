package fakes

import (
	"cmp"
	"net/http"

	"github.com/retrydrill/drill/harness"
)

// undo takes back what an earlier step made, all its parts. It is called under the
// lock.
func (f *Fake) undo(crossing *harness.Crossing, c *call) (*answer, *object) {
	o := f.store.find(c.makers, c.named.Resource)
	switch {
	case o == nil || o.gone:
		return f.refusalAnswer(f.absent(c)), nil
	case !o.stands():
		return f.undoneBefore(o, c), nil
	}
	o.leaves = c.op.Leaves
	o.gone = len(c.op.Leaves) == 0
	o.undone = true
	f.takeBack(o, harness.Effect{Op: c.named.Op, Key: c.key, At: f.offset(f.o.Now()), Attempt: crossing.Attempt, Copy: crossing.Copy})
	return f.success(o, c), o
}

// undoneBefore answers an undo of what was undone already: as the profile refuses
// it, or else with the object as it stands. Neither is an effect.
func (f *Fake) undoneBefore(o *object, c *call) *answer {
	if _, told := f.p.Refusals["undone"]; told {
		return f.refusalAnswer(f.refuse("undone", "id", "It was taken back before: '%s'", o.id))
	}
	return f.success(o, c)
}

// takeBack writes an undo into the ledger for each part that an object stands for.
// The entry says who did it, and when.
func (f *Fake) takeBack(o *object, e harness.Effect) {
	f.domain.unmake(o)
	f.store.leave(o)
	e.Kind, e.Resource, e.BusinessKey, e.Reference = harness.Undo, o.id, o.business, o.reference
	for _, part := range o.parts {
		e.Part = part
		f.ledger.append(e)
	}
	f.announce(e)
}

func (f *Fake) absent(c *call) *refusal {
	return f.refuse("absent", "id", "No such object: '%s'", c.named.Resource)
}

// swallowedUndo answers as to an undo and takes nothing back.
func (f *Fake) swallowedUndo(c *call) *answer {
	o := f.store.find(c.makers, c.named.Resource)
	if o == nil || o.gone {
		return f.refusalAnswer(f.absent(c))
	}
	shown := *o
	shown.leaves = c.op.Leaves
	return f.success(&shown, c).replayed()
}

// success answers a write that was carried out, with the object as it is now.
func (f *Fake) success(o *object, c *call) *answer {
	return f.succeed(new(answer), o, c)
}

// succeed is success with an answer to fill in.
func (f *Fake) succeed(a *answer, o *object, c *call) *answer {
	*a = answer{status: cmp.Or(c.op.Status, http.StatusOK)}
	if a.status != http.StatusNoContent {
		a.body = f.domain.show(o, c)
	}
	return a
}
