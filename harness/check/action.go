package check

import (
	"slices"
	"strings"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/internal/reuse"
)

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
