package wire

import (
	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/deliver"
)

// heardOf is one notice on its way to the conductor, which answers what becomes of it.
type heardOf struct {
	notice harness.Notice
	answer chan deliver.Telling
}

// tell hands a notice of the target to the conductor. Where the schedule wants it to
// come before the answer, it returns once the hand-over is over. What the target tells after
// the last of them nobody hears.
func (t *trial) tell(n harness.Notice) {
	x := heardOf{n, make(chan deliver.Telling, 1)}
	select {
	case t.notices <- x:
	case <-t.conducted:
		return
	case <-t.ctx.Done():
		return
	}
	var telling deliver.Telling
	select {
	case telling = <-x.answer:
	case <-t.ctx.Done():
		return
	}
	if telling.Before == nil {
		return
	}
	select {
	case <-telling.Before:
	case <-t.ctx.Done():
	}
}

// toldAll reports whether nothing is on its way to the target of which it might tell.
func (t *trial) toldAll() bool {
	if t.target.Tell == nil || !deliver.Tells(&t.s) {
		return true
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.flying == 0
}
