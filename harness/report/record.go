package report

import (
	"fmt"

	"github.com/retrydrill/drill/harness"
)

// Record is a trial's evidence: for each action what was approved, how its state
// moved as the harness saw it, what was looked up, and how many effects there are.
type Record struct {
	Actions []Evidence `json:"actions"`
}

// Evidence is the record of one action.
type Evidence struct {
	Action     string `json:"action"`
	TriggerKey string `json:"trigger_key"`
	ActionID   string `json:"action_id"`
	// Approved is the digest of the arguments that were approved.
	Approved   string `json:"approved_arguments_sha256"`
	ApprovalID string `json:"approval_id"`
	// States are in order; At is the offset from the trial's start.
	States []State `json:"states"`
	// Resources are the target's IDs of the effects.
	Resources []string `json:"target_resource_ids"`
	// Reconciled are the reads that asked what had been done.
	Reconciled []Query `json:"reconciliation_queries"`
	// Effects is the final count at the target.
	Effects int `json:"effects"`
}

// State is one step of an action, seen from outside the executor.
type State struct {
	State string           `json:"state"`
	At    harness.Duration `json:"at"`
}

// Query is one look-up.
type Query struct {
	Query string           `json:"query"`
	Found int              `json:"found"`
	At    harness.Duration `json:"at"`
}

func record(h *harness.History) Record {
	r := Record{Actions: []Evidence{}}
	at := map[string]int{}
	for _, a := range h.Schedule.Actions {
		at[a.Name] = len(r.Actions)
		r.Actions = append(r.Actions, Evidence{Action: a.Name, TriggerKey: a.TriggerKey, ActionID: a.ID,
			Approved: a.Approval.ArgumentsSHA256, ApprovalID: a.Approval.ID,
			States: []State{}, Resources: []string{}, Reconciled: []Query{}})
	}
	queries := map[int]string{}
	for _, e := range h.Events {
		if e.Kind == harness.EvDeliver && e.Deliver != nil {
			for _, d := range e.Deliver.Actions {
				if i, ok := at[d.Name]; ok {
					r.Actions[i].step("delivered", e.At)
				}
			}
		}
		i, ok := at[e.Action]
		if !ok {
			continue
		}
		v := &r.Actions[i]
		switch e.Kind {
		case harness.EvRequest:
			if e.Changes {
				v.step("sent", e.At)
			} else {
				queries[e.Attempt] = e.Method + " " + e.Path
			}
		case harness.EvEffect:
			if e.Effect != nil && e.Effect.Kind == harness.Do && !e.Effect.Foreign {
				v.Effects++
				v.Resources = append(v.Resources, e.Effect.Resource)
				v.step("committed", e.At)
			}
		case harness.EvPassed:
			if q, ok := queries[e.Attempt]; ok {
				v.Reconciled = append(v.Reconciled, Query{Query: q, Found: len(e.Found), At: e.At})
			} else if e.Class != "" {
				v.step(string(e.Class), e.At)
			}
		case harness.EvLost:
			if _, read := queries[e.Attempt]; !read {
				v.step(string(harness.Unknown), e.At)
			}
		case harness.EvReport:
			if e.Report != nil {
				v.step(fmt.Sprintf("reported %s", e.Report.Outcome), e.At)
			}
		}
	}
	return r
}

func (v *Evidence) step(state string, at harness.Duration) {
	v.States = append(v.States, State{State: state, At: at})
}
