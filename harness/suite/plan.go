package suite

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/scenarios"
)

// plan is one trial of a run, ready to be carried out or skipped with a reason.
type plan struct {
	scenario, trial string
	schedule        harness.Schedule
	skip            string
}

func (p plan) id() string { return p.scenario + "/" + p.trial }

// plans expands the scenarios, one slice each, in their order.
func (o Options) plans(shown map[string]bool) ([][]plan, error) {
	given := o.held(shown)
	out := make([][]plan, 0, len(o.Scenarios))
	for _, s := range o.Scenarios {
		var ps []plan
		for _, t := range s.Trials {
			p := plan{scenario: s.Name, trial: t.Name}
			needs := slices.Concat(s.Needs, t.Needs, t.Implied())
			if p.skip = scenarios.Unmet(needs, given); p.skip == "" {
				var err error
				if p.schedule, err = o.Schedule(t); err != nil {
					return nil, fmt.Errorf("scenario %s, trial %q: %w", s.Name, t.Name, err)
				}
			}
			ps = append(ps, p)
		}
		out = append(out, ps)
	}
	return out, nil
}

// Schedule makes a trial's schedule. It holds no name of scenario or trial, and
// its seed depends on the run's seed and on what the trial does, so that other
// names and another order change nothing.
func (o Options) Schedule(t scenarios.Trial) (harness.Schedule, error) {
	s := harness.Schedule{
		Version:       harness.ScheduleVersion,
		Seed:          trialSeed(o.Seed, t),
		World:         o.WorldName,
		Executor:      o.Executor,
		Profile:       cmp.Or(o.Profile, o.Promises.Profile),
		ProfileDigest: o.ProfileDigest,
		Faults:        slices.Clone(t.Faults),
		Connection:    t.Connection,
		Order:         t.Order,
		AtLeast:       t.Deliveries,
		Limits:        o.Limits,
		Blind:         o.Blind,
		Settings:      t.Settings.In(o.Promises),
	}
	names := slices.Sorted(maps.Keys(t.Actions))
	if !slices.Contains(names, "A") {
		names = slices.Insert(names, 0, "A")
	}
	ids := newIdentity(s.Seed)
	for _, name := range names {
		d := t.Actions[name]
		if d.Like != "" {
			d = t.Actions[d.Like]
		}
		a, err := o.action(name, d, ids)
		if err != nil {
			return s, err
		}
		if s.Has("deliver equivalent") {
			a.Spelled, _ = o.spelling(a.Arguments)
		}
		s.Actions = append(s.Actions, a)
	}
	return s, s.Validate()
}

// action makes one action with an ID, a trigger key and an approval of its own.
func (o Options) action(name string, d scenarios.Derived, ids *identity) (harness.Action, error) {
	args, err := o.Action.Arguments.Clone(), error(nil)
	switch {
	case d.Changed:
		args, err = args.Change(o.Action.Changed)
	case d.Whole:
		args, err = args.Change(o.Action.Whole)
	}
	if err == nil {
		// What is approved is approved in its normal form.
		args, err = o.Action.Normal.Apply(args)
	}
	if err != nil {
		return harness.Action{}, fmt.Errorf("action %s: %w", name, err)
	}
	a := harness.Action{
		Name:        name,
		ID:          ids.uuid(),
		TriggerKey:  "trigger-" + ids.uuid(),
		BusinessKey: o.Action.BusinessKey,
		Effect:      o.Action.Effect,
		Arguments:   args,
		Changed:     o.Action.Changed,
	}
	a.Approval = harness.Approval{
		ID:              "approval-" + ids.uuid(),
		ArgumentsSHA256: args.Digest(),
		PolicyVersion:   cmp.Or(o.Limits.PolicyVersion, "1"),
		Status:          harness.Granted,
		ValidUntil:      "2099-01-01T00:00:00Z",
		SingleUse:       true,
	}
	return a, nil
}

// joinWords prints an argument vector so that a shell would read it back.
func joinWords(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = w
		if w == "" || strings.ContainsAny(w, " \t\n\"'\\$`*?[]{}()<>|&;#~!") {
			out[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(out, " ")
}
