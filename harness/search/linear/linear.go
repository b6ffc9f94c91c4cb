// Package linear is a second opinion on a history with several workers: it asks
// porcupine, a checker of linearizability, whether what happened to each action could
// have happened one step after the other at an idempotent create: the first commit
// makes the effect, and every report of done names it.
//
// [Disagrees] holds that opinion against the invariants'. The two are written apart
// from each other and must agree.
package linear

import (
	"slices"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/retrydrill/drill/harness"
)

// step is one operation on one part of one action: a commit at the target, its undo,
// or a report of done.
type step struct {
	kind     string
	resource string
}

const (
	commits = "commits"
	undoes  = "undoes"
	reports = "reports done"
)

// made is what stands of a part: nothing, or the resource of the one commit.
type made struct{ resource string }

// create is the idempotent create, one step at a time.
var create = porcupine.Model{
	Init: func() any { return made{} },
	Step: func(state, input, _ any) (bool, any) {
		s, in := state.(made), input.(step)
		switch in.kind {
		case commits:
			return s.resource == "", made{in.resource}
		case undoes:
			return s.resource == in.resource, made{}
		}
		return in.resource != "" && s.resource == in.resource, s
	},
}

// limit bounds one check; histories of a trial take microseconds.
const limit = 5 * time.Second

// Actions returns the actions of which the history can not be told as an idempotent
// create, in order, and false where the checker did not come to an end.
func Actions(h *harness.History) (broken []string, ok bool) {
	ok = true
	ops, order := operations(h)
	for _, name := range order {
		switch porcupine.CheckOperationsTimeout(create, ops[name], limit) {
		case porcupine.Illegal:
			broken = append(broken, name.action)
		case porcupine.Unknown:
			ok = false
		}
	}
	return slices.Compact(broken), ok
}

// part is what is created once: a part of an action.
type part struct{ action, name string }

// untold is a report that names nothing.
type untold struct {
	part
	porcupine.Operation
}

// operations lists what happened to each part. An effect happens between the arrival
// of its request and its entry in the ledger, a report between the hand-over and the
// report; one that names nothing counts where the action was told of twice, and one of a
// delivery that failed does not. A twin that was minted of an action is that action.
func operations(h *harness.History) (map[part][]porcupine.Operation, []part) {
	ops := map[part][]porcupine.Operation{}
	var order []part
	var nameless []untold
	add := func(p part, o porcupine.Operation) {
		if ops[p] == nil {
			order = append(order, p)
		}
		ops[p] = append(ops[p], o)
	}
	arrived, handed, failed := map[int]int{}, map[int]int{}, uncounted(h)
	as, parts, told := map[string]string{}, map[string]string{}, map[string]int{}
	for _, e := range h.Events {
		switch e.Kind {
		case harness.EvDeliver:
			handed[e.Worker] = e.Seq
			for _, a := range e.Deliver.Actions {
				if as[a.Name] = a.Name; a.As != "" {
					as[a.Name] = a.As
				}
				if first, twin := as[a.As]; twin {
					// A twin of a twin is the action, too.
					as[a.Name] = first
				}
			}
		case harness.EvRequest:
			arrived[e.Attempt] = e.Seq
		case harness.EvEffect:
			if e.Effect.Foreign || e.Action == "" {
				continue
			}
			kind := commits
			if e.Effect.Kind == harness.Undo {
				kind = undoes
			}
			parts[e.Effect.Resource] = e.Effect.Part
			add(part{as[e.Action], e.Effect.Part}, operation(e.Worker, arrived[e.Attempt], e.Seq, step{kind, e.Effect.Resource}))
		case harness.EvReport:
			if !done(e) || failed[e.Seq] {
				continue
			}
			o := operation(e.Worker, handed[e.Worker], e.Seq, step{reports, e.Report.Resource})
			if told[as[e.Action]]++; e.Report.Resource == "" {
				nameless = append(nameless, untold{part{as[e.Action], parts[""]}, o})
				continue
			}
			add(part{as[e.Action], parts[e.Report.Resource]}, o)
		}
	}
	for _, n := range nameless {
		if told[n.part.action] > 1 {
			add(n.part, n.Operation)
		}
	}
	return ops, order
}

// uncounted are the reports of deliveries that failed, a death among them, by their
// number: nobody goes by what was reported in one.
func uncounted(h *harness.History) map[int]bool {
	out, clean, acked := map[int]bool{}, map[int]bool{}, map[int]bool{}
	for i := len(h.Events) - 1; i >= 0; i-- {
		switch e := h.Events[i]; e.Kind {
		case harness.EvAck:
			acked[e.Worker] = true
		case harness.EvEnd:
			clean[e.Worker] = acked[e.Worker] || e.Note == "exit 0" || e.Note == "returned"
			delete(acked, e.Worker)
		case harness.EvReport:
			if ok, ended := clean[e.Worker]; ended && !ok {
				out[e.Seq] = true
			}
		}
	}
	return out
}

func done(e harness.Event) bool {
	return e.Report != nil && e.Report.Outcome == harness.Done && e.Action != ""
}

func operation(worker, call, ret int, s step) porcupine.Operation {
	return porcupine.Operation{ClientId: worker, Input: s, Call: int64(call), Output: nil, Return: int64(ret)}
}
