package main

import (
	"context"
	"slices"

	"github.com/retrydrill/drill/harness/reference"
	"github.com/retrydrill/drill/harness/selftest"
	"github.com/retrydrill/drill/harness/suite"
	"github.com/retrydrill/drill/scenarios"
)

// By real sockets a trial takes a second, and the whole catalogue against every mutant
// hours of them. So what is run there is what memory showed: each mutant in its scenario
// and in the next places that convict it, each twin in those of the mutants that it is
// like.

// further is how many further scenarios are run by real sockets.
const further = 2

// showing are scenarios by executor and target.
type showing map[[2]string][]string

func (s showing) add(executor, target string, names ...string) {
	k := [2]string{executor, target}
	for _, n := range names {
		if !slices.Contains(s[k], n) {
			s[k] = append(s[k], n)
		}
	}
}

// in picks of the catalogue what is shown; nothing shown is the control alone.
func (s showing) in(executor, target string) ([]scenarios.Scenario, error) {
	names := s[[2]string{executor, target}]
	if len(names) == 0 {
		names = []string{"control"}
	}
	return scenarios.Pick(names)
}

// shownIn reads a matrix of the whole catalogue.
func shownIn(m *selftest.Matrix, twins []reference.Twin) showing {
	out, of := showing{}, map[string][]string{}
	for _, r := range m.Rows {
		names := append([]string{r.Scenario}, r.Elsewhere[:min(further, len(r.Elsewhere))]...)
		of[r.Mutant] = names
		for _, executor := range []string{r.Mutant, r.Twin, defaultExecutor} {
			out.add(executor, r.Target, names...)
		}
	}
	for _, t := range twins {
		for _, target := range t.Targets {
			for _, name := range t.Like {
				out.add(t.Name, target, of[name]...)
				out.add(defaultExecutor, target, of[name]...)
			}
		}
	}
	return out
}

// fromMemory runs the whole catalogue in memory, and returns the options of a run that
// carries out what that showed.
func fromMemory(ctx context.Context, o selftest.Options, inMemory func(executor, target string) (suite.Options, error)) (selftest.Options, error) {
	first := o
	first.At, first.Search, first.Clear, first.Progress = inMemory, nil, nil, nil
	m, err := selftest.Run(ctx, first)
	if err != nil {
		return o, err
	}
	picked, at := shownIn(m, o.Twins), o.At
	o.At = func(executor, target string) (suite.Options, error) {
		r, err := at(executor, target)
		if err != nil {
			return r, err
		}
		r.Scenarios, err = picked.in(executor, target)
		return r, err
	}
	return o, nil
}
