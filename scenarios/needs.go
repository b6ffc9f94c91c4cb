package scenarios

import (
	"fmt"
	"strings"

	"github.com/retrydrill/drill/harness"
)

// Given is what a need is held against.
type Given struct {
	// Promises are the target's.
	Promises harness.Promises
	// Executor declares its kind and its abilities.
	Executor harness.Executor
	// Shown are abilities as the control showed them. What is not in it was neither
	// shown nor refuted.
	Shown map[string]bool
	// HasChanged and HasWhole: the run's action says what changed arguments are, and
	// which arguments use up all there is.
	HasChanged, HasWhole bool
}

// Need is a property of target or executor that a trial asks for.
type Need struct {
	Name string
	// Doc says when it is met.
	Doc string
	// unmet says why it is not met, or nothing.
	unmet func(Given) string
}

// Unmet returns the reason for which the need is not met, or "".
func (n Need) Unmet(g Given) string { return n.unmet(g) }

// Needs lists every need: first the target's, then the executor's.
var Needs = []Need{
	{"key", "the target keeps an idempotency key and answers a repeat without a second effect",
		promise("keeps no idempotency key", keepsKey)},
	{"lookup", "the target can be asked what was done",
		promise("offers no look-up", harness.Promises.CanFind)},
	{"key-or-lookup", "the target keeps a key or can be asked; without either an uncertain outcome stays one",
		promise("keeps no idempotency key and offers no look-up", func(p harness.Promises) bool { return keepsKey(p) || p.CanFind() })},
	{"declared-lag", "the target declares how far its reads may be behind its writes",
		promise("declares no lag of its reads", func(p harness.Promises) bool { return p.CanFind() && p.Lookup.Lag > 0 })},
	{"unique-names", "the target refuses a second effect under one business key",
		promise("has no unique names", func(p harness.Promises) bool { return p.UniqueNames })},
	{"same-name", "the target lets two effects stand under one business key",
		promise("has unique names", func(p harness.Promises) bool { return !p.UniqueNames })},
	{"changed", "the action says what changed arguments are; asked for by every trial that changes them",
		func(g Given) string {
			if !g.HasChanged {
				return "the action does not say what changed arguments are"
			}
			return ""
		}},
	{"whole", "the action says which arguments use up all there is, so that the target itself refuses a second effect",
		func(g Given) string {
			if !g.HasWhole {
				return "the action does not say what its whole is"
			}
			return ""
		}},
	{"receipts", "drill stands at the writes of the executor's own store: a built-in executor",
		func(g Given) string {
			if g.Executor.Kind != "builtin" {
				return "drill does not own the store that the executor writes to"
			}
			return ""
		}},
	{"checks-approval", "the executor checks the approval that comes with an action", ability("checks-approval")},
	{"keeps-state", "the executor keeps a record of its own between deliveries", ability("keeps-state")},
	{"reuses-connections", "the executor sends its create on a connection that carried a request before", ability("reuses-connections")},
	{"waits", "the executor can report that it waits, and go on later", ability("waits")},
	{"kills", "the executor runs where it can be SIGKILLed: a process, not a function inside drill; asked for by every trial that kills",
		func(g Given) string {
			if g.Executor.Kind == "func" {
				return "a function inside drill can not be SIGKILLed"
			}
			return ""
		}},
}

// NeedNamed returns the need of that name.
func NeedNamed(name string) (Need, bool) {
	for _, n := range Needs {
		if n.Name == name {
			return n, true
		}
	}
	return Need{}, false
}

// Unmet returns the first reason for which one of the named needs is not met.
func Unmet(names []string, g Given) string {
	for _, name := range names {
		n, ok := NeedNamed(name)
		if !ok {
			return fmt.Sprintf("nobody knows the need %q", name)
		}
		if reason := n.Unmet(g); reason != "" {
			return fmt.Sprintf("needs %s: %s", name, reason)
		}
	}
	return ""
}

func needNames() string {
	var out []string
	for _, n := range Needs {
		out = append(out, n.Name)
	}
	return strings.Join(out, ", ")
}

func keepsKey(p harness.Promises) bool { return p.Key.Kept && p.Key.Same != "re-execute" }

func promise(reason string, met func(harness.Promises) bool) func(Given) string {
	return func(g Given) string {
		if met(g.Promises) {
			return ""
		}
		return g.Promises.Profile + " " + reason
	}
}

// ability is met unless it is declared or shown to be lacking.
func ability(name string) func(Given) string {
	return func(g Given) string {
		if has, said := g.Executor.Abilities[name]; said && !has {
			return "the executor declares that it has not"
		}
		if has, shown := g.Shown[name]; shown && !has {
			return "the control showed that the executor does not"
		}
		return ""
	}
}

// Abilities lists what an executor may declare to have or to lack.
var Abilities = []string{"checks-approval", "keeps-state", "reuses-connections", "waits"}
