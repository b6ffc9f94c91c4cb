package main

import (
	"fmt"
	"strings"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/check"
	"github.com/retrydrill/drill/harness/reference"
	"github.com/retrydrill/drill/scenarios"
	"github.com/retrydrill/drill/targets"
)

// book is one kind of thing that list and explain know.
type book struct {
	kind, one string
	pages     func() []page
}

// page is one thing: a line for list, a text for explain.
type page struct {
	name  string
	short string
	// group is the heading under which list puts it, or empty.
	group string
	// also are other names that explain finds it by.
	also []string
	long func() string
	// whole: long is printed as it is, for a file.
	whole bool
}

// books are drawn from the lists that the parts themselves run on.
var books = []book{
	{"scenarios", "scenario", scenarioPages},
	{"faults", "fault", faultPages},
	{"invariants", "invariant", invariantPages},
	{"profiles", "profile", profilePages},
	{"executors", "executor", executorPages},
	{"mutants", "mutant", mutantPages},
	{"needs", "need", needPages},
	{"policy-rules", "rule of policy lint", rulePages},
	{"policy-formats", "format that policy lint reads", formatPages},
	{"schemas", "schema", schemaPages},
}

func scenarioPages() []page {
	var out []page
	for _, s := range scenarios.All() {
		out = append(out, page{name: s.Name, short: s.Story, long: func() string { return explainScenario(s) }})
	}
	return out
}

func explainScenario(s scenarios.Scenario) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", s.Story)
	if len(s.Needs) > 0 {
		fmt.Fprintf(&b, "\nneeds %s\n", strings.Join(s.Needs, ", "))
	}
	for _, t := range s.Trials {
		fmt.Fprintf(&b, "\n%s\n", t.Name)
		for _, f := range t.Faults {
			fmt.Fprintf(&b, "  %s\n", f)
		}
		if t.Deliveries > 0 {
			fmt.Fprintf(&b, "  at least %d deliveries\n", t.Deliveries)
		}
		for _, extra := range [][2]string{{"connection", t.Connection}, {"order", t.Order}, {"needs", strings.Join(t.Needs, ", ")}} {
			if extra[1] != "" {
				fmt.Fprintf(&b, "  %s: %s\n", extra[0], extra[1])
			}
		}
	}
	return b.String()
}

func faultPages() []page {
	var out []page
	for _, k := range harness.Vocabulary {
		short := k.Doc
		if !carriedSomewhere(k.Key()) {
			short += " (not yet carried out)"
		}
		out = append(out, page{name: k.Key(), short: short, also: []string{k.Name}, long: func() string {
			point := k.Point + "#1"
			if k.Side != "" {
				point = "create#1 " + string(k.Side)
			}
			line := strings.TrimSpace(point + " " + k.Name + " " + k.Params.Form())
			return fmt.Sprintf("%s\n\nwritten as: %s", short, line)
		}})
	}
	return out
}

func invariantPages() []page {
	var out []page
	for _, i := range check.Invariants {
		out = append(out, page{name: i.ID, short: i.Doc, long: func() string {
			return fmt.Sprintf("%s\n\nreads: %s", i.Doc, strings.Join(i.Needs, ", "))
		}})
	}
	return out
}

// profileKinds are the headings of drill list profiles, in order.
var profileKinds = []struct{ kind, heading string }{
	{"provider", "providers and standards"},
	{"shape", "plain shapes, nobody's API"},
	{"domain", "domains, each after a provider"},
}

func profilePages() []page {
	var out []page
	for _, k := range profileKinds {
		for _, name := range targets.Names() {
			p, err := targets.Builtin(name)
			switch {
			case err != nil && k == profileKinds[0]:
				out = append(out, page{name: name, short: err.Error(), group: "broken", long: err.Error})
			case err == nil && p.Kind == k.kind:
				out = append(out, page{name: name, short: p.About, group: k.heading, long: func() string { return explainPromises(p) }})
			}
		}
	}
	return out
}

func executorPages() []page {
	var out []page
	for _, e := range reference.Executors {
		out = append(out, page{name: e.Name, short: e.Doc, group: "the reference, and its careless twins", long: func() string {
			if e.Careful {
				return e.Doc
			}
			return e.Doc + "\n\ncareless: drill run --executor " + e.Name + " exits 1"
		}})
	}
	for _, t := range reference.SafeTwins {
		out = append(out, page{name: t.Name, short: t.Doc, group: "safe, and like a mutant", long: func() string {
			return fmt.Sprintf("%s\n\nsafe at %s; like %s", t.Doc, strings.Join(t.Targets, ", "), strings.Join(t.Like, ", "))
		}})
	}
	return out
}

func needPages() []page {
	var out []page
	for _, n := range scenarios.Needs {
		out = append(out, page{name: n.Name, short: n.Doc, long: func() string { return n.Doc }})
	}
	return out
}
