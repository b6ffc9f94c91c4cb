package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/fakes"
	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/check"
	"github.com/retrydrill/drill/harness/reference"
	"github.com/retrydrill/drill/harness/search"
	"github.com/retrydrill/drill/harness/search/random"
	"github.com/retrydrill/drill/targets"
)

// TestNoHarmIsJudgedSafe holds the checks against a few lines that know nothing of them:
// what the ledger and the reports show to be wrong, in whatever a careless executor does
// under schedules that are drawn, is never judged safe. The careful one does no harm.
func TestNoHarmIsJudgedSafe(t *testing.T) {
	const each = 100
	harmed := map[string]int{}
	try := func(executor, target string) {
		o := searching(t, executor, target, 1, 2)
		p, err := targets.Builtin(target)
		require.NoError(t, err)
		plans := random.Schedules(random.Space{Schedule: o.Schedule, Promises: o.Promises, Ops: opsOf(p), Carries: o.Carries, Refuses: o.Refuses,
			Takes: fakes.Takes(p), Workers: 2})
		for i := range each {
			s := plans.Example(i)
			h, err := o.World.Run(t.Context(), s)
			require.NoError(t, err)
			if search.ArrivesLate(h) {
				continue
			}
			for _, wrong := range harm(h) {
				harmed[wrong]++
				require.NotEqual(t, harness.Safe, check.Judge(h).Verdict, "%s at %s: %s: %s %s", executor, target, wrong, s.Faults, conditions(s))
				require.NotEqual(t, defaultExecutor, executor, "at %s: %s: %s %s", target, wrong, s.Faults, conditions(s))
			}
		}
	}
	for _, m := range reference.Mutants {
		if m.NotShown == "" {
			try(m.Name, cmp.Or(m.Target, defaultTarget))
		}
	}
	for _, target := range targets.Names() {
		try(defaultExecutor, target)
	}
	for _, wrong := range harms {
		require.Greater(t, harmed[wrong], 5, "%s: %v", wrong, harmed)
	}
	t.Logf("%v", harmed)
}

// What harm tells of.
const (
	madeTwice   = "two effects of one part stand at once"
	unasked     = "an effect of arguments that no approval covered"
	notTheirs   = "reported done by what is no effect of it"
	notDone     = "reported done, and a part is missing in the end"
	doneInspite = "reported rejected in the end, and a part stands"
)

var harms = []string{madeTwice, unasked, notTheirs, notDone, doneInspite}

// account is what became of one intent.
type account struct {
	// stands are the resources of each part, given what was approved.
	stands map[string][]string
	given  []*harness.DeliveredAction
	// said is the last report that counts, under the hand-over asked.
	said  *harness.Report
	asked *harness.DeliveredAction
}

// harm is what the ledger and the reports of a history show to be wrong.
func harm(h *harness.History) (out []string) {
	accounts, handed, failed := accountsOf(h)
	for i := range h.Events {
		e := &h.Events[i]
		a := accounts[e.Action]
		switch {
		case e.Deliver != nil:
			for k := range e.Deliver.Actions {
				x := &e.Deliver.Actions[k]
				accounts[x.Name].given = append(accounts[x.Name].given, x)
			}
		case e.Effect != nil && e.Effect.Kind == harness.Undo:
			for _, b := range accounts {
				part := b.stands[e.Effect.Part]
				b.stands[e.Effect.Part] = slices.DeleteFunc(part, func(r string) bool { return r == e.Effect.Resource })
			}
		case a == nil:
			// Nobody's: a stranger's object, or what a worker says of an action that it made up.
		case e.Effect != nil:
			out = append(out, a.commits(e.Effect)...)
		case e.Report != nil && !failed[handOver{e.Worker, e.Delivery}]:
			a.said, a.asked = e.Report, handed[fmt.Sprint(e.Worker, e.Delivery, e.Action)]
			if !a.owns(e.Report) {
				out = append(out, notTheirs)
			}
		}
	}
	for _, a := range accounts {
		out = append(out, a.ends(h.Promises.Parts)...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

type handOver struct{ worker, delivery int }

// accountsOf opens the accounts by the names of actions, of which those that are minted
// for one intent share one, and says what each hand-over brought and which of them failed.
func accountsOf(h *harness.History) (accounts map[string]*account, handed map[string]*harness.DeliveredAction, failed map[handOver]bool) {
	accounts, handed, failed = map[string]*account{}, map[string]*harness.DeliveredAction{}, map[handOver]bool{}
	for _, a := range h.Schedule.Actions {
		accounts[a.Name] = &account{stands: map[string][]string{}}
	}
	for _, e := range h.Events {
		if e.Kind == harness.EvEnd && e.Note != "returned" || e.Kind == harness.EvNack && strings.HasPrefix(e.Note, "failed") {
			failed[handOver{e.Worker, e.Delivery}] = true
		}
		if e.Deliver == nil {
			continue
		}
		for _, x := range e.Deliver.Actions {
			handed[fmt.Sprint(e.Worker, e.Delivery, x.Name)] = &x
			if accounts[x.Name] == nil {
				accounts[x.Name] = accounts[x.As]
			}
		}
	}
	return accounts, handed, failed
}

func (a *account) commits(e *harness.Effect) (out []string) {
	a.stands[e.Part] = append(a.stands[e.Part], e.Resource)
	if len(a.stands[e.Part]) > 1 {
		out = append(out, madeTwice)
	}
	if !slices.ContainsFunc(a.given, func(x *harness.DeliveredAction) bool { return x.Covered && x.WireOf(e.Op) == e.Arguments }) {
		out = append(out, unasked)
	}
	return out
}

// owns reports whether a report names nothing but what stands of the intent.
func (a *account) owns(r *harness.Report) bool {
	if r.Outcome != harness.Done || r.Resource == "" {
		return true
	}
	for _, part := range a.stands {
		if slices.Contains(part, r.Resource) {
			return true
		}
	}
	return false
}

// ends holds the last report against what stands in the end. One of a hand-over that no
// approval covered refuses that, and says nothing of what another one allowed.
func (a *account) ends(parts []string) (out []string) {
	if len(parts) == 0 {
		parts = []string{""}
	}
	for _, part := range parts {
		stands := len(a.stands[part]) > 0
		switch {
		case a.said == nil:
		case a.said.Outcome == harness.Done && !stands:
			out = append(out, notDone)
		case a.said.Outcome == harness.Rejected && stands && (a.asked == nil || a.asked.Covered):
			out = append(out, doneInspite)
		}
	}
	return out
}
