package scenarios

import (
	"fmt"
	"slices"
	"strconv"
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
	// HasSpelled: its arguments have another spelling of their normal form.
	HasSpelled bool
}

// Need is a property of target or executor that a trial asks for.
type Need struct {
	Name string
	// Doc says when it is met.
	Doc string
	// unmet says why it is not met, or nothing.
	unmet func(Given) string
	// of makes it the need of one thing, which then stands after its name.
	of func(thing string) func(Given) string
}

// Unmet returns the reason for which the need is not met, or "".
func (n Need) Unmet(g Given) string { return n.unmet(g) }

// Needs lists every need: first the target's, then the executor's.
var Needs = []Need{
	{Name: "key", Doc: "the target keeps an idempotency key and answers a repeat without a second effect",
		unmet: promise("keeps no idempotency key", keepsKey)},
	{Name: "lookup", Doc: "the target can be asked what was done",
		unmet: promise("offers no look-up", func(p harness.Promises) bool { return p.CanFind() })},
	{Name: "key-or-lookup", Doc: "the target keeps a key or can be asked; without either an uncertain outcome stays one",
		unmet: promise("keeps no idempotency key and offers no look-up", func(p harness.Promises) bool { return keepsKey(p) || p.CanFind() })},
	{Name: "declared-lag", Doc: "the target declares how far its reads may be behind its writes",
		unmet: promise("declares no lag of its reads", func(p harness.Promises) bool { return p.CanFind() && p.Lookup.Lag > 0 })},
	{Name: "unique-names", Doc: "the target refuses a second effect under one business key",
		unmet: promise("has no unique names", func(p harness.Promises) bool { return p.UniqueNames })},
	{Name: "same-name", Doc: "the target lets two effects stand under one business key",
		unmet: promise("has unique names", func(p harness.Promises) bool { return !p.UniqueNames })},
	{Name: "http", Doc: "the target speaks HTTP; asked for by every trial with a gateway's page or with Retry-After",
		unmet: promise("does not speak HTTP", func(p harness.Promises) bool { return p.Protocol == "" })},
	{Name: "smtp", Doc: "the target speaks SMTP: a status is the reply to the final dot",
		unmet: promise("does not speak SMTP", func(p harness.Promises) bool { return p.Protocol == "smtp" })},
	{Name: "answers", Doc: "the target's protocol has a status like that which a fault has it answer with; asked for, with the status, by every such trial",
		of: status(promiseOf("has no answer %s", func(p harness.Promises, n int) bool {
			return p.Protocol == "" || slices.ContainsFunc(p.Errors, func(e harness.ErrorClass) bool { return e.Status == n })
		}))},
	{Name: "leaves-open", Doc: "the target calls a status unknown; asked for, with the status, by every trial in which it stands in place of the target's answer",
		of: status(promiseOf("says with %s that nothing was done", func(p harness.Promises, n int) bool { return p.Classify(n, "") == harness.Unknown }))},
	{Name: "parts", Doc: "an effect is made in two steps, pay and create",
		unmet: promise("makes its effect in one step, or in others than pay and create", func(p harness.Promises) bool {
			return stepped(p, "pay", "") && stepped(p, harness.CreateOp, "")
		})},
	{Name: "cancel", Doc: "what pay made can be taken back, by cancel",
		unmet: promise("offers no cancel of what pay made", func(p harness.Promises) bool { return stepped(p, "pay", harness.CancelOp) })},
	{Name: "events", Doc: "the target tells by itself of what was done; asked for by every trial with a line of event",
		unmet: promise("tells nothing by itself", func(p harness.Promises) bool { return p.Events })},
	{Name: "changed", Doc: "the action says what changed arguments are; asked for by every trial that changes them",
		unmet: action("the action does not say what changed arguments are", func(g Given) bool { return g.HasChanged })},
	{Name: "whole", Doc: "the action says which arguments use up all there is, so that the target itself refuses a second effect",
		unmet: action("the action does not say what its whole is", func(g Given) bool { return g.HasWhole })},
	{Name: "spellings", Doc: "the action's arguments have two spellings of one normal form, as the profile says (set, units); asked for by every trial that uses the other one",
		unmet: action("the profile knows one spelling of the action's arguments", func(g Given) bool { return g.HasSpelled })},
	{Name: "normalises", Doc: "the executor brings arguments into the profile's normal form before it compares them: a built-in one, or one that declares so; asked for by every trial that spells them otherwise than by JSON",
		unmet: func(g Given) string {
			if _, said := g.Executor.Abilities["normalises"]; !said && g.Executor.Kind != "builtin" {
				return "the executor does not declare that it does"
			}
			return ability("normalises")(g)
		}},
	{Name: "receipts", Doc: "drill stands at the writes of the executor's own store: a built-in executor",
		unmet: func(g Given) string {
			if g.Executor.Kind != "builtin" {
				return "drill does not own the store that the executor writes to"
			}
			return ability("receipts")(g)
		}},
	{Name: "checks-approval", Doc: "the executor checks the approval that comes with an action", unmet: ability("checks-approval")},
	{Name: "keeps-state", Doc: "the executor keeps a record of its own between deliveries", unmet: ability("keeps-state")},
	{Name: "looks-up", Doc: "the executor asks the target what was done, and does not rely on its keys alone; asked for by every trial in which the target loses them",
		unmet: ability("looks-up")},
	{Name: "reuses-connections", Doc: "the executor sends its create on a connection that carried a request before", unmet: ability("reuses-connections")},
	{Name: "waits", Doc: "the executor can report that it waits, and go on later", unmet: ability("waits")},
	{Name: "hears-events", Doc: "the executor is handed what the target tells by itself; asked for by every trial with a line of event", unmet: ability("hears-events")},
	{Name: "kills", Doc: "the executor runs where it can be SIGKILLed: a process, not a function inside drill; asked for by every trial that kills",
		unmet: func(g Given) string {
			if g.Executor.Kind == "func" {
				return "a function inside drill can not be SIGKILLed"
			}
			return ""
		}},
	{Name: "caller", Doc: "somebody waits for the executor, who can give up: a function, a built-in executor, a serve worker, and not a process that reads its job; asked for by every trial in which the caller gives up",
		unmet: func(g Given) string {
			if g.Executor.Kind == "exec" {
				return "nobody waits for a process that reads its job and prints its reports"
			}
			return ""
		}},
}

// NeedNamed returns the need of that name; the thing that it is the need of stands
// after a space.
func NeedNamed(name string) (Need, bool) {
	word, thing, _ := strings.Cut(name, " ")
	for _, n := range Needs {
		if n.Name != word || (n.of == nil) != (thing == "") {
			continue
		}
		if n.of != nil {
			n.Name, n.unmet = name, n.of(thing)
		}
		return n, true
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

// stepped reports whether an effect has the step, and the undo where one is named.
func stepped(p harness.Promises, op, undo string) bool {
	return slices.ContainsFunc(p.Steps, func(s harness.Step) bool { return s.Op == op && (undo == "" || s.Undo == undo) })
}

func keepsKey(p harness.Promises) bool { return p.Key.Kept && p.Key.Same != "re-execute" }

// action is met where the action has what it takes.
func action(reason string, has func(Given) bool) func(Given) string {
	return func(g Given) string {
		if has(g) {
			return ""
		}
		return reason
	}
}

func promise(reason string, met func(harness.Promises) bool) func(Given) string {
	return func(g Given) string {
		if met(g.Promises) {
			return ""
		}
		return g.Promises.Profile + " " + reason
	}
}

// promiseOf is promise for what the target promises of one number.
func promiseOf(reason string, met func(harness.Promises, int) bool) func(n int) func(Given) string {
	return func(n int) func(Given) string {
		return promise(fmt.Sprintf(reason, strconv.Itoa(n)), func(p harness.Promises) bool { return met(p, n) })
	}
}

// status reads the thing that a need is of as a number.
func status(need func(n int) func(Given) string) func(thing string) func(Given) string {
	return func(thing string) func(Given) string {
		n, err := strconv.Atoi(thing)
		if err != nil {
			return func(Given) string { return fmt.Sprintf("%q is no status", thing) }
		}
		return need(n)
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
var Abilities = []string{"checks-approval", "keeps-state", "looks-up", "reuses-connections", "waits", "hears-events", "normalises"}
