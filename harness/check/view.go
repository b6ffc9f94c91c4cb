package check

import (
	"maps"
	"slices"
	"strings"

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

// action is one intended effect under one action ID.
type action struct {
	name string
	ids  []string
	root *root
	spec *harness.Action
	// given are the hand-overs that brought it.
	given []*given
	// consents are the first hand-overs that brought each, once that was asked for.
	consents reuse.Table[consent, *given]
	// latest is the last of them, as far as the history is walked; byWire are they by
	// their arguments, once that was asked for.
	latest  *given
	byWire  map[string][]*given
	reports []*report
	// line is what concerns it, in order: requests, answers, look-ups, reports.
	line []item
	// sent counts its mutations. refused: one was refused for good.
	sent    int
	refused bool
	// keys are the first mutations under each key, once that was asked for.
	keys reuse.Table[string, *attempt]
	// recorded is how many requests its last record told of; recordedBy, by step.
	recorded   int
	recordedBy reuse.Table[string, int]
	// unseen are mutations that were torn before their key was seen.
	unseen []*attempt
}

// root is an intent: an action together with the twins that the producer minted.
type root struct {
	name    string
	members []*action
	// effects are what was done for it; undoing is no effect.
	effects []*effect
	// made are the resources of its effects but the first.
	made    reuse.Table[string, bool]
	reports []*report
	sent    bool
	// refused are the first attempts to which the target gave a refusal that it keeps
	// under the key.
	refused reuse.Table[string, *attempt]
	// mutations counts those that undo nothing, under every ID; last is the last of them.
	mutations int
	last      *attempt
	// noted is the first record that told of a request, told how many one told of at most.
	noted *harness.Event
	told  int
	// book is what its records say where there is one place of them, and one step.
	book book
	// digests are those that the schedule's approvals of it name.
	digests reuse.Table[string, bool]
	// approved are the arguments that an approval of it covers.
	approved approved
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

// delivery is one hand-over.
type delivery struct {
	*harness.Event
	acked     bool
	end, nack string
}

// elsewhere: it was made to another machine, with an empty state directory.
func (d *delivery) elsewhere() bool {
	return d.Deliver != nil && slices.ContainsFunc(d.Deliver.How, func(line string) bool { return strings.HasSuffix(strings.TrimSuffix(line, "?"), " elsewhere") })
}

// given is one action as one hand-over brought it.
type given struct {
	*harness.DeliveredAction
	delivery *delivery
	// wires are the digests of what it brought, as the profile reads them at any step.
	wires []string
}

// isOf reports whether a reference names the action.
func (a *action) isOf(reference string) bool {
	if reference == "" {
		return false
	}
	for _, id := range a.ids {
		if reference == id || strings.Contains(reference, id) {
			return true
		}
	}
	return false
}

// isOf reports whether a reference names the intent, under whichever ID.
func (r *root) isOf(reference string) bool {
	for _, a := range r.members {
		if a.isOf(reference) {
			return true
		}
	}
	return false
}

// makes reports whether an effect of the intent made the resource.
func (r *root) makes(resource string) bool {
	return len(r.effects) > 0 && (r.effects[0].Resource == resource || r.made.Get(resource))
}

// wire is the digest of the action's arguments as the profile reads them, as the
// first hand-over brought them.
func (a *action) wire() string {
	if len(a.given) == 0 {
		return ""
	}
	return a.given[0].Wire
}

func (a *action) businessKey() string {
	switch {
	case len(a.given) > 0:
		return a.given[0].BusinessKey
	case a.spec != nil:
		return a.spec.BusinessKey
	}
	return ""
}

// has looks for something that happened to the action.
func (a *action) has(what func(*item) bool) bool {
	for i := range a.line {
		if what(&a.line[i]) {
			return true
		}
	}
	return false
}

// has looks for something that happened to the intent, under whichever ID.
func (r *root) has(what func(*item) bool) bool {
	return slices.ContainsFunc(r.members, func(a *action) bool { return a.has(what) })
}

// isAlias: the producer minted it for an intent that had an action ID already.
func (a *action) isAlias() bool { return a.name != a.root.name }

// read fills in the wires.
func (g *given) read() {
	g.wires = append(g.wires[:0], g.Wire)
	if len(g.Wires) == 0 {
		return
	}
	for _, op := range slices.Sorted(maps.Keys(g.Wires)) {
		if w := g.Wires[op]; !slices.Contains(g.wires, w) {
			g.wires = append(g.wires, w)
		}
	}
}

// covered: a valid approval covered what this hand-over brought, as far as is known.
func (g *given) covered() bool { return g == nil || g.Covered }

// consent is the approval that came with a hand-over, as far as it can differ.
type consent struct {
	brought    bool
	status, id string
}

func (g *given) consent() consent {
	if g == nil {
		return consent{}
	}
	return consent{true, g.Approval.Status, g.Approval.ID}
}

// asConsents fills in the consents.
func (a *action) asConsents() *reuse.Table[consent, *given] {
	if len(a.consents.Entries) == 0 {
		for _, g := range a.given {
			if first := a.consents.At(g.consent()); *first == nil {
				*first = g
			}
		}
	}
	return &a.consents
}

// under is the first mutation for the action under a key, or nil.
func (a *action) under(key string) *attempt {
	if len(a.keys.Entries) == 0 {
		for i := range a.line {
			if it := &a.line[i]; it.turn == sends && it.attempt.Key != "" {
				if first := a.keys.At(it.attempt.Key); *first == nil {
					*first = it.attempt
				}
			}
		}
	}
	return a.keys.Get(key)
}

// by is how a hand-over brought the action, or nil. They are in the order of the history.
func (a *action) by(d *delivery) *given {
	after, _ := slices.BinarySearchFunc(a.given, d.Seq+1, func(g *given, seq int) int { return g.delivery.Seq - seq })
	if after > 0 && a.given[after-1].delivery == d {
		return a.given[after-1]
	}
	return nil
}

// newer is a consent to these arguments that ok accepts, which was first handed over
// after another one, to whomever, and before an event.
func (a *action) newer(than consent, arguments string, before int, ok func(consent) bool) (consent, bool) {
	a.asConsents()
	at := a.consents.Place(than)
	if at < 0 {
		return consent{}, false
	}
	for _, e := range a.consents.Entries[at+1:] {
		if g := e.Value; g.delivery.Seq > before {
			break
		} else if g.Covered && (arguments == "" || slices.Contains(g.wires, arguments)) && ok(e.Key) {
			return e.Key, true
		}
	}
	return consent{}, false
}

// failed: the delivery ended in a way that lets its reports not count (an exit
// status other than 0, a death).
func (d *delivery) failed() bool {
	if d == nil || d.acked {
		return false
	}
	if strings.Contains(d.nack, "was killed") {
		return true
	}
	return d.end != "" && d.end != "exit 0" && d.end != "returned"
}

// notice: it brought what the target told by itself, and no action.
func (d *delivery) notice() bool { return d != nil && d.Deliver != nil && d.Deliver.Event != nil }

// died: the worker was ended by a signal, or as the sim does that.
func (d *delivery) died() bool { return d.end == "killed" || strings.HasPrefix(d.end, "signal ") }

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
