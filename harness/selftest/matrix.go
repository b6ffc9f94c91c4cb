package selftest

import (
	"slices"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/reference"
)

// Schema is the version line of a matrix in JSON.
const Schema = "drill.selftest/v1"

// Matrix is what became of all mutants.
type Matrix struct {
	Schema string `json:"schema"`
	Seed   uint64 `json:"seed"`
	World  string `json:"world"`
	Rows   []Row  `json:"mutants"`
	// Twins are the safe executors, by executor and target.
	Twins []Twin `json:"twins"`
}

// Row is one mutant.
type Row struct {
	Class  reference.Class `json:"class"`
	Mutant string          `json:"mutant"`
	Doc    string          `json:"doc"`
	Case   string          `json:"case"`
	Target string          `json:"target"`
	// Invariant is meant to convict it in Scenario.
	Invariant string `json:"invariant"`
	Scenario  string `json:"scenario"`
	// Broken are the invariants that convicted it there.
	Broken []string `json:"broken"`
	// Elsewhere are the other scenarios in which Invariant convicted it.
	Elsewhere []string `json:"elsewhere"`
	// Found is what a search without the catalogue came to, where one was made.
	Found *Found `json:"search,omitempty"`
	Twin  string `json:"twin"`
	// Cleared: the twin is safe in Scenario.
	Cleared bool `json:"twin_cleared"`
	// NotShown says why drill can not show this mutant.
	NotShown string `json:"not_shown,omitempty"`
	// Wrong says what is not as it should be.
	Wrong string `json:"wrong,omitempty"`
}

// Caught reports whether the mutant was convicted where and by what it should be.
func (r Row) Caught() bool { return slices.Contains(r.Broken, r.Invariant) }

// Second is another place that convicts the mutant by the same invariant: a scenario,
// or a searched schedule; empty where there is none.
func (r Row) Second() string {
	switch {
	case len(r.Elsewhere) > 0:
		return r.Elsewhere[0]
	case r.Found != nil && slices.Contains(r.Found.Broken, r.Invariant):
		return r.Found.String()
	}
	return ""
}

// judge says what is not as it should be, or nothing.
func (r Row) judge() string {
	switch {
	case r.NotShown != "":
		return ""
	case !r.Caught() && len(r.Broken) == 0:
		return "it escapes"
	case !r.Caught():
		return "it is convicted by other invariants only"
	case r.Second() == "":
		return "it is convicted in one scenario only"
	case !r.Cleared:
		return "its twin " + r.Twin + " is not cleared"
	}
	return ""
}

// Twin is a safe executor at a target.
type Twin struct {
	Executor string          `json:"executor"`
	Target   string          `json:"target"`
	Verdict  harness.Verdict `json:"verdict"`
	// Convicted are the scenarios in which it is not safe, with the verdict, and the
	// schedules of one fault that convict it, with what broke.
	Convicted []string `json:"convicted"`
	// Ran is how many schedules were searched; the reference is not searched here.
	Ran int `json:"searched,omitempty"`
}

// Counts sums a matrix up.
type Counts struct {
	Mutants  int `json:"mutants"`
	Classes  int `json:"classes"`
	Caught   int `json:"caught"`
	NotShown int `json:"not_shown"`
	Wrong    int `json:"wrong"`
	Twins    int `json:"twins"`
	Cleared  int `json:"twins_cleared"`
}

// Counts sums the matrix up. A class counts once a mutant of it is caught.
func (m *Matrix) Counts() Counts {
	c := Counts{Mutants: len(m.Rows), Twins: len(m.Twins)}
	classes := map[reference.Class]bool{}
	for _, r := range m.Rows {
		switch {
		case r.NotShown != "":
			c.NotShown++
		case r.Wrong != "":
			c.Wrong++
		default:
			c.Caught++
			classes[r.Class] = true
		}
	}
	for _, t := range m.Twins {
		if len(t.Convicted) == 0 {
			c.Cleared++
		}
	}
	c.Classes = len(classes)
	return c
}

// Verdict is safe where every mutant that can be shown was caught and every twin
// cleared; anything else is a deviation.
func (m *Matrix) Verdict() harness.Verdict {
	c := m.Counts()
	if c.Wrong > 0 || c.Cleared < c.Twins {
		return harness.Unsafe
	}
	return harness.Safe
}
