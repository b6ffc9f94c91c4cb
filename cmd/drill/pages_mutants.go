package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/retrydrill/drill/harness/reference"
)

// mutantPages are the mutants under their classes.
func mutantPages() []page {
	doc := map[reference.Class]string{}
	for _, c := range reference.Classes {
		doc[c.Class] = c.Doc
	}
	var out []page
	for _, m := range reference.Mutants {
		out = append(out, page{name: m.Name, short: m.Doc, group: string(m.Class) + ", " + doc[m.Class],
			long: func() string { return explainMutant(m, doc[m.Class]) }})
	}
	return out
}

func explainMutant(m reference.Mutant, class string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\nclass %s: %s\ncase %s\n", m.Doc, m.Class, class, m.Case)
	if m.NotShown != "" {
		fmt.Fprintf(&b, "\nnot shown: %s\n", m.NotShown)
		return b.String()
	}
	target := cmp.Or(m.Target, defaultTarget)
	fmt.Fprintf(&b, "convicted by %s in %s at %s; cleared there: %s\n", m.Invariant, m.Scenario, target, cmp.Or(m.Twin, defaultExecutor))
	fmt.Fprintf(&b, "\ndrill run %s --executor %s --target %s exits 1", m.Scenario, m.Name, target)
	return b.String()
}
