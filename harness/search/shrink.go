package search

import (
	"context"
	"reflect"
	"slices"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/check"
)

// Shrink makes a failing schedule as small as it gets: until no line, delivery,
// action, condition or setting can go and no line can be a plainer one. fails says
// whether a schedule still breaks the same; it must not be asked about one that does
// not validate, and is not. The steps are tried in one fixed order, so that the same
// schedule always ends at the same smaller one.
func Shrink(ctx context.Context, s harness.Schedule, fails func(context.Context, harness.Schedule) (bool, error)) (harness.Schedule, error) {
	for {
		smaller, err := step(ctx, s, fails)
		if err != nil || smaller == nil {
			return s, err
		}
		s = *smaller
	}
}

// Smallest shrinks a schedule that breaks an invariant to one that still does, and
// returns the history of that run; h is the one of the schedule as it is given.
func Smallest(ctx context.Context, s harness.Schedule, h *harness.History, invariant string,
	run func(context.Context, harness.Schedule) (*harness.History, error)) (harness.Schedule, *harness.History, error) {
	small, err := Shrink(ctx, s, func(ctx context.Context, c harness.Schedule) (bool, error) {
		again, err := run(ctx, c)
		if err != nil || ArrivesLate(again) || !slices.Contains(Broken(check.Weigh(again)), invariant) {
			return false, err
		}
		h = again
		return true, nil
	})
	return small, h, err
}

// step is the first smaller schedule that still fails, or nil.
func step(ctx context.Context, s harness.Schedule, fails func(context.Context, harness.Schedule) (bool, error)) (*harness.Schedule, error) {
	for _, c := range smaller(s) {
		if c.Validate() != nil {
			continue
		}
		switch failed, err := fails(ctx, c); {
		case err != nil:
			return nil, err
		case failed:
			return &c, nil
		}
	}
	return nil, nil
}

// smaller lists the schedules that are one step smaller, largest step first.
func smaller(s harness.Schedule) []harness.Schedule {
	var out []harness.Schedule
	add := func(change func(*harness.Schedule)) {
		c := s
		c.Faults, c.Actions = slices.Clone(s.Faults), slices.Clone(s.Actions)
		if change(&c); !reflect.DeepEqual(c, s) {
			out = append(out, c)
		}
	}
	for i := range s.Faults {
		add(func(c *harness.Schedule) { c.Faults = slices.Delete(c.Faults, i, i+1) })
	}
	for i := len(s.Actions) - 1; i > 0; i-- {
		add(func(c *harness.Schedule) { c.Actions = slices.Delete(c.Actions, i, i+1) })
	}
	add(func(c *harness.Schedule) { c.Settings = harness.Settings{} })
	add(func(c *harness.Schedule) { c.AtLeast = 0 })
	add(func(c *harness.Schedule) { c.Connection = "" })
	add(func(c *harness.Schedule) { c.Order = "" })
	add(func(c *harness.Schedule) { c.Blind = false })
	for i, f := range s.Faults {
		for _, p := range plainer(f) {
			add(func(c *harness.Schedule) { c.Faults[i] = p })
		}
	}
	return out
}

// plainer lists what a line could be instead, the plainest first: the first of a
// range, an earlier place, the word that is easiest to think of.
func plainer(f harness.Fault) []harness.Fault {
	var out []harness.Fault
	with := func(change func(*harness.Fault)) {
		g := f
		change(&g)
		out = append(out, g)
	}
	if f.Optional {
		with(func(g *harness.Fault) { g.Optional = false })
	}
	if f.Where.IsOperation() && f.Where.Side == harness.Response && f.Name != "close" && f.Name != "kill" {
		out = append(out, harness.Fault{Where: f.Where, Name: "close"})
	}
	if f.Where.IsOperation() && f.Where.Side == harness.Request && f.Name != "close" && f.Name != "kill" {
		out = append(out, harness.Fault{Where: f.Where, Name: "close"})
	}
	if f.Where.To != f.Where.From {
		with(func(g *harness.Fault) { g.Where.To = g.Where.From })
	}
	if first := firstOf(f.Where); f.Where.From > first && f.Where.To == f.Where.From {
		with(func(g *harness.Fault) { g.Where.From, g.Where.To = first, first })
		with(func(g *harness.Fault) { g.Where.From--; g.Where.To-- })
	}
	if f.Where.Worker != 0 {
		with(func(g *harness.Fault) { g.Where.Worker = 0 })
	}
	if f.Where.Action != "" {
		with(func(g *harness.Fault) { g.Where.Action = "" })
	}
	if !f.RetryAfter.IsZero() {
		with(func(g *harness.Fault) { g.RetryAfter = harness.Span{} })
	}
	if f.Name == "times" && f.N > 2 {
		with(func(g *harness.Fault) { g.N = 2 })
	}
	return out
}

// firstOf is the first crossing of which a line says the same: what shapes a repeated
// delivery has no place at the first.
func firstOf(w harness.Where) int {
	if w.Point == harness.Deliver {
		return min(2, w.From)
	}
	return 1
}
