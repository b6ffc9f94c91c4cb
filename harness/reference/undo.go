package reference

import (
	"context"
	"fmt"
	"slices"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/receipt"
	"github.com/retrydrill/drill/targets"
)

// compareUndo holds what a look-up found against an undo whose outcome is unknown. An
// object that has what the undo leaves, or is gone, was undone; one that stands was
// not, and the undo may be sent again.
func (w *work) compareUndo(ctx context.Context, found []targets.Object) (settled bool, err error) {
	for _, o := range found {
		if o.Resource != w.object {
			continue
		}
		if o.Undone {
			return true, w.undone(ctx)
		}
		w.absent = w.promises.Lookup.Authoritative && !w.inFlight
		return false, nil
	}
	if w.promises.Lookup.Authoritative && !w.inFlight {
		return true, w.undone(ctx)
	}
	return false, nil
}

func (w *work) undone(ctx context.Context) error {
	next := w.draft()
	next.Resource, next.Class = w.object, harness.Confirmed
	next.ErrorClass, next.Detail = "", ""
	return w.move(ctx, next, receipt.Confirmed)
}

// standing leaves out what was taken back. Nothing in the first round takes back what
// the round itself made, so that an object that was is a stranger's doing.
func (w *work) standing(found []targets.Object) (out []targets.Object, strange string) {
	if !slices.ContainsFunc(found, func(o targets.Object) bool { return o.Undone }) {
		return found, ""
	}
	for _, o := range found {
		switch {
		case !o.Undone:
			out = append(out, o)
		case o.Reference == w.root && w.r.ActionID == w.root+":"+w.op:
			strange = fmt.Sprintf("%s was taken back by somebody else", o.Resource)
		}
	}
	return out, strange
}
