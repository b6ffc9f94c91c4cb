package lint

import (
	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/policy"
)

var drillFormat = Format{
	ID:     "drill",
	Doc:    "drill's own retry policy: retry_policy, limits, stricter",
	Source: "harness/policy/policy.schema.json",
	is: func(c content) bool {
		if c.root("limits", "stricter") && !c.has("kind") {
			return true
		}
		if !c.root("retry_policy") {
			return false
		}
		moves := c.trees[0].key("retry_policy").value
		for _, class := range harness.Classes {
			if moves.key(policy.Key(class)) != nil {
				return true
			}
		}
		return false
	},
	read: func(d *document, c content) ([]Policy, error) {
		p, err := policy.Parse(d.name, c.text)
		if err != nil {
			return nil, err
		}
		return []Policy{fromDrill(p)}, nil
	},
}

// fromDrill translates drill's own policy. The ID of the action stays the same, and
// a reconciling move looks before it sends: that is no repeat by itself.
func fromDrill(p policy.Policy) Policy {
	at := func(path ...any) Place {
		line, column := p.Place(path...)
		return Place{line, column}
	}
	l := p.Limits
	out := Policy{
		Place:        at(),
		Attempts:     l.Attempts,
		AttemptsAt:   at("limits", "max_attempts"),
		Budget:       l.Budget,
		BudgetAt:     at("limits", "time_budget"),
		RetryAfter:   Yes,
		RetryAfterAt: at("limits", "retry_after"),
		Backoff:      Backoff{Waits: said(l.Backoff.Max > 0), Jitter: said(l.Backoff.Jitter != policy.None), Curve: l.Backoff, Place: at("limits", "backoff", "jitter")},
		GivesUp:      p.Moves[harness.Unknown] == policy.Stop || p.Moves[harness.Unknown] == policy.Stored,
		GivesUpAt:    at("retry_policy", policy.Key(harness.Unknown)),
	}
	if l.IgnoreRetryAfter {
		out.RetryAfter = No
	}
	for _, class := range harness.Classes {
		move := p.Moves[class]
		if !move.Sends() {
			continue
		}
		r := Repeat{What: policy.Key(class) + ": " + string(move), Place: at("retry_policy", policy.Key(class)), Class: class, Asked: class == harness.RejectedTransient}
		out.Repeats = append(out.Repeats, r)
	}
	for i, o := range p.Overrides {
		out.Overrides = append(out.Overrides, Override{o, at("stricter", i)})
	}
	return out
}

func said(yes bool) Said {
	if yes {
		return Yes
	}
	return No
}
