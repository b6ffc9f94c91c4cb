package suite

import (
	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/scenarios"
)

// Base is the fault-free schedule that a search begins with: A is delivered, and B, an
// action like it, is there to be brought.
func (o Options) Base() (harness.Schedule, error) {
	s, err := o.Schedule(scenarios.Trial{Actions: map[string]scenarios.Derived{"B": {Like: "A"}}})
	for i := range s.Actions {
		s.Actions[i].Spelled, _ = o.spelling(s.Actions[i].Arguments)
	}
	return s, err
}

// Refuses returns what gives the reason for which a line makes no sense at this executor
// and target, or nothing: a need that follows from the line is not met.
func (o Options) Refuses() func(harness.Fault) string {
	given := o.held(nil)
	return func(f harness.Fault) string { return scenarios.Unmet(scenarios.NeedsOf(f), given) }
}

// held is what needs are held against.
func (o Options) held(shown map[string]bool) scenarios.Given {
	_, spelled := o.spelling(o.Action.Arguments)
	return scenarios.Given{Promises: o.Promises, Executor: o.Executor, Shown: shown,
		HasChanged: len(o.Action.Changed) > 0, HasWhole: len(o.Action.Whole) > 0, HasSpelled: spelled}
}

// spelling is another spelling of arguments, where there is one.
func (o Options) spelling(a harness.Arguments) (harness.Arguments, bool) {
	if o.Action.Normal.Empty() {
		return nil, false
	}
	return o.Action.Normal.Otherwise(a)
}
