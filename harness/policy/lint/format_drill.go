package lint

import (
	"slices"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/policy"
)

// Own is the ID of the format that executors follow.
const Own = "drill"

var drillFormat = Format{
	ID:     Own,
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
		GivesUp:      p.Moves[harness.Unknown] == policy.Stop,
		GivesUpAt:    at("retry_policy", policy.Key(harness.Unknown)),
	}
	if l.IgnoreRetryAfter {
		out.RetryAfter = No
	}
	out.Bounded, out.Resumes, out.TakesBack = true, true, true
	for _, class := range harness.Classes {
		out.follow(class, p, at("retry_policy", policy.Key(class)))
	}
	for i, o := range p.Overrides {
		out.Overrides = append(out.Overrides, Override{o, at("stricter", i)})
		counts := !slices.ContainsFunc(p.Overrides[:i], func(before policy.Override) bool {
			return before.Mishap == o.Mishap && before.Status == o.Status && (before.Code == "" || before.Code == o.Code)
		})
		if counts && o.Mishap == "" && o.Class == harness.RejectedPermanent && stopsAt(p, o.Class) {
			out.Ends = append(out.Ends, Override{o, at("stricter", i)})
		}
		if counts && o.Mishap == "" && o.Class == harness.Unknown && stopsAt(p, harness.RejectedPermanent) {
			out.InDoubt = append(out.InDoubt, Override{o, at("stricter", i)})
		}
		m, ok := policy.FindMishap(o.Mishap)
		first := slices.IndexFunc(p.Overrides, func(before policy.Override) bool { return before.Mishap == o.Mishap }) == i
		if ok && first && m.Class == harness.NeverDispatched && o.Class.Rejected() {
			filed := Review{What: m.ID + " is filed as " + policy.Key(o.Class), Place: at("stricter", i), Class: m.Class}
			switch p.Moves[o.Class] {
			case policy.Stop:
				out.Unsent = append(out.Unsent, filed)
			case policy.Review, policy.Stored:
				out.Reviews = append(out.Reviews, filed)
			}
		}
	}
	return out
}

// stopsAt reports whether the first attempt that ends in a class is the last, by the move or
// by the bound of the class.
func stopsAt(p policy.Policy, c harness.Class) bool {
	move := p.Moves[c]
	return move == policy.Stop || (move.Sends() || move == policy.Reconcile) && p.Limits.PerClass[c] == 1
}

// follow takes the move that follows a class. To reconcile is to look first, and to
// send again what is not there.
func (out *Policy) follow(class harness.Class, p policy.Policy, place Place) {
	move, l := p.Moves[class], p.Limits
	what := policy.Key(class) + ": " + string(move)
	bound, bounded := l.PerClass[class]
	again := move.Sends() || move == policy.Reconcile && class != harness.Confirmed
	if class == harness.Unknown && move.Sends() {
		out.Blind = append(out.Blind, Review{What: what, Place: place, Class: class})
	}
	if again && !bounded && !(class == harness.NeverDispatched && move == policy.Automatic) {
		// What never left and is sent again by itself counts as no attempt.
		out.Endless = append(out.Endless, class)
	}
	if class == harness.RejectedTransient && bound == 1 && (again || move == policy.Stop) {
		out.EndsForNow = append(out.EndsForNow, Review{What: policy.Key(class) + ": 1", Place: place, Class: class})
	}
	switch {
	case again && bound == 1:
		// The first attempt that ends so is the last.
	case move.Sends(), again && class.Rejected():
		out.Repeats = append(out.Repeats, Repeat{What: what, Place: place, Class: class, Asked: class == harness.RejectedTransient})
	case again:
		out.Reconciles = true
	case move == policy.Stop && class == harness.RejectedTransient:
		out.StopsForNow = append(out.StopsForNow, Review{What: what, Place: place, Class: class})
	case move == policy.Stop && class == harness.NeverDispatched:
		out.Unsent = append(out.Unsent, Review{What: what, Place: place, Class: class})
	case (move == policy.Review || move == policy.Stored) && class != harness.Confirmed:
		// What the receipt holds of it is no end: a person comes to it.
		out.Reviews = append(out.Reviews, Review{What: what, Place: place, Class: class})
	}
}

func said(yes bool) Said {
	if yes {
		return Yes
	}
	return No
}
