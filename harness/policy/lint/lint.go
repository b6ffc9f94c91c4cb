package lint

import (
	"cmp"
	"slices"
	"strconv"
)

// Finding is one thing that is unsafe in a document.
type Finding struct {
	Rule string `json:"rule"`
	// Policy is the part of the document, where it has several.
	Policy string `json:"policy,omitempty"`
	Place
	// Why says what happens, Do what to write instead.
	Why    string `json:"why"`
	Do     string `json:"do"`
	Source string `json:"source"`
}

// Rule is one thing that is looked for.
type Rule struct {
	ID  string
	Doc string
	// Do is what helps.
	Do string
	// Source is the page on which the rule stands.
	Source string
	check  func(Policy, *Target) []note
}

// note is what a rule found, without what the rule itself adds.
type note struct {
	Place
	why string
}

// Lint holds policies to every rule, with what a target promises, or nil. Findings
// are in the order of the document, then of the rules.
func Lint(policies []Policy, t *Target) []Finding {
	found := []Finding{}
	for _, p := range policies {
		for _, r := range Rules {
			for _, n := range r.check(p, t) {
				found = append(found, Finding{Rule: r.ID, Policy: p.Name, Place: n.or(p.Place), Why: n.why, Do: r.Do, Source: r.Source})
			}
		}
	}
	slices.SortStableFunc(found, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return found
}

// or is the place, or another where there is none.
func (p Place) or(q Place) Place {
	switch {
	case p.Line > 0:
		return p
	case q.Line > 0:
		return q
	}
	return Place{1, 1}
}

func itoa(n int) string { return strconv.Itoa(n) }
