package check

import (
	"slices"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/internal/reuse"
)

// View is a history prepared for judging: what belongs to each action, in order.
// It is built once, so that judging is linear in the events.
type View struct {
	*harness.History

	// promises are the history's, with the retention that the trial's settings gave.
	promises *harness.Promises
	// steps: an effect is made by several operations. dedups: a repeated key makes
	// nothing more. finds: there is something to look up by.
	steps, dedups, finds bool
	actions              []*action
	byName               reuse.Table[string, *action]
	byID                 reuse.Table[string, *action]
	roots                []*root
	// numbered are the attempts by their number, from 1; astray are those whose number is
	// higher than there are events.
	numbered []*attempt
	astray   reuse.Table[int, *attempt]
	// sent are all mutations in order, copies left out.
	sent    []*attempt
	reports []*report
	effects []*effect
	// undos are the entries of effects that took something back.
	undos      []*effect
	deliveries []*delivery
	// written are the records, and the mutations that each needs one, in order, where the
	// harness stands at the executor's own store.
	written []writing
	// waits: an answer to a mutation asked to wait. puzzles: a look-up showed what is not
	// for sure the action's.
	waits, puzzles bool
	// stamped and bare: an effect bore a reference, or none.
	stamped, bare bool
	// nobodys counts what could not be put to an action.
	nobodys struct{ mutations, effects int }
	// changes says of each operation that was seen whether it changes something, once
	// that was asked for.
	changes reuse.Table[string, bool]
	// foreign are the resources that the harness planted as a stranger's, and the
	// entries that did it.
	foreign reuse.Table[string, *effect]
	// owner is the intent whose effect first made a resource, where there are several.
	owner reuse.Table[string, *root]
	// struck are the events of faults, aside those of what the world says beside
	// requests and reports: bounds, holds, refusals, logs, leaks.
	struck, aside []*harness.Event
	// delays are what may have been slow.
	delays []delay
	// touches are what can have held a request up; none before they are asked for.
	touches []touch
	// texts counts what was looked through for the token, records the events of the
	// executor's own store.
	texts, records int

	room room
}

// writing is a record, and the book that it stands in; or, with none, a mutation that one
// has to allow, and the place of the records of its worker.
type writing struct {
	*harness.Event
	book  *book
	store int
}

// delay is an event that tells of slowness, and the number of the request on which a
// client that gave up had waited, or 0.
type delay struct {
	*harness.Event
	asked int
}

// effect is one entry of the ledger.
type effect struct {
	*harness.Effect
	seq     int
	action  *action
	attempt *attempt
	// undone is the entry that took it back, or nil.
	undone *effect
}

// report is one line that a worker reported.
type report struct {
	*harness.Event
	action *action
	life   *life
	given  *given
	place  *delivery
	// store is the place of the records that it came from.
	store int
	// counted: the delivery ended in a way that lets its reports count.
	counted bool
	// standing is what the worker could know when it reported.
	standing standing
}

// lastCounted is the last report that counts, or nil.
func lastCounted(rs []*report) *report {
	for i := len(rs) - 1; i >= 0; i-- {
		if rs[i].counted {
			return rs[i]
		}
	}
	return nil
}

// ended is the history's last offset.
func (v *View) ended() harness.Duration {
	if len(v.Events) == 0 {
		return 0
	}
	return v.Events[len(v.Events)-1].At
}

// attempt returns the attempt of that number, or nil.
func (v *View) attempt(n int) *attempt {
	if i := uint(n - 1); i < uint(len(v.numbered)) {
		return v.numbered[i]
	}
	return v.strayed(n)
}

func (v *View) strayed(n int) *attempt { return v.astray.Get(n) }

// alike reports whether two digests can be of the same arguments.
func alike(a, b string) bool { return a == "" || b == "" || a == b }

// maxEvents bounds how many events a violation names.
const maxEvents = 16

func inOrder(events []int) []int {
	events = slices.Clone(events)
	slices.Sort(events)
	events = slices.Compact(events)
	for len(events) > 0 && events[0] == 0 {
		events = events[1:]
	}
	return events[:min(len(events), maxEvents)]
}
