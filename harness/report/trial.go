package report

import (
	"slices"
	"strings"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/check"
)

// leftToAPerson begins the reason of a safe trial that ended in needs_review.
const leftToAPerson = "needs_review: "

// Review is why a safe trial was left to a person, or empty.
func (t Trial) Review() string {
	if why, ok := strings.CutPrefix(t.Reason, leftToAPerson); ok && t.Verdict == harness.Safe {
		return why
	}
	return ""
}

// Judged fills a trial from its history and what the invariants made of it.
func (t Trial) Judged(h *harness.History, j check.Judgement) Trial {
	t.History = h
	t.Verdict, t.Reason = j.Verdict, j.Reason
	if j.Verdict == harness.Safe && j.Review != "" {
		t.Reason = leftToAPerson + j.Review
	}
	t.ToldBy = orEmpty(j.Told)
	t.Violations = orEmpty(j.Violations)
	t.NotChecked = orEmpty(j.NotChecked())
	t.Caveats = orEmpty(j.Caveats)
	t.Faults = h.FaultsFired()
	t.Actions = actions(h)
	t.Record = record(h)
	seen := map[int]bool{}
	for _, e := range h.Events {
		switch {
		case e.Kind == harness.EvRequest && e.Copy:
			t.Copies++
		case e.Kind == harness.EvRequest && e.Changes:
			t.Attempts++
		case e.Kind == harness.EvDeliver && !seen[e.Delivery]:
			seen[e.Delivery] = true
			t.Deliveries++
		}
	}
	return t
}

// Skip fills a trial that was not carried out.
func (t Trial) Skip(reason string) Trial {
	t.Verdict, t.Reason = harness.Skipped, reason
	t.Actions, t.Faults, t.Violations = []Action{}, []harness.FaultFired{}, []harness.Violation{}
	t.ToldBy, t.NotChecked, t.Caveats = []string{}, []string{}, []string{}
	t.Record = Record{Actions: []Evidence{}}
	return t
}

// actions lists the schedule's actions and the twins that were minted on the way.
func actions(h *harness.History) []Action {
	out := []Action{}
	at := map[string]int{}
	id := map[string]string{}
	add := func(name, actionID, digest string) {
		if _, ok := at[name]; !ok {
			at[name], id[actionID] = len(out), name
			out = append(out, Action{Action: name, Digest: digest, Reports: []Report{}})
		}
	}
	for _, a := range h.Schedule.Actions {
		add(a.Name, a.ID, a.Arguments.Digest())
	}
	for _, e := range h.Events {
		if e.Deliver != nil {
			for _, a := range e.Deliver.Actions {
				add(a.Name, a.ID, a.Digest)
			}
		}
	}
	for _, e := range h.Events {
		switch e.Kind {
		case harness.EvEffect:
			if i, ok := at[e.Action]; ok && e.Effect != nil && e.Effect.Kind == harness.Do && !e.Effect.Foreign {
				out[i].Effects++
			}
		case harness.EvReport:
			if e.Report == nil {
				continue
			}
			name := e.Action
			if name == "" {
				name = id[e.Report.ActionID]
			}
			if i, ok := at[name]; ok {
				out[i].Reports = append(out[i].Reports, Report{Delivery: e.Delivery, Outcome: e.Report.Outcome,
					Resource: e.Report.Resource, Acknowledged: acknowledged(h, e)})
			}
		}
	}
	return out
}

// acknowledged reports whether the delivery of a report was acknowledged after it.
func acknowledged(h *harness.History, r harness.Event) bool {
	return slices.ContainsFunc(h.Events, func(e harness.Event) bool {
		return e.Kind == harness.EvAck && e.Delivery == r.Delivery && e.Worker == r.Worker && e.Seq > r.Seq
	})
}

func orEmpty[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
