package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/report"
	"github.com/retrydrill/drill/harness/search"
)

// result is what a command found, which is told in several forms.
type result interface {
	verdict() harness.Verdict
	json(io.Writer) error
	// text tells it to a person; took is left out where it is 0.
	text(w io.Writer, took time.Duration)
	// cases are for a CI system.
	cases() []report.Case
	// name is one line.
	name() string
}

// formUsage describes the flag of commands whose results have every form.
const formUsage = "text, json, junit (XML for a CI system), or github (text, and annotations of a workflow)"

// checkForm refuses a form that there is none of.
func checkForm(format string) error {
	switch format {
	case "text", "json", "junit", "github":
		return nil
	}
	return fmt.Errorf("--format is %q: expected text, json, junit or github", format)
}

// writeAs writes a result in a form.
func writeAs(w io.Writer, format string, r result, took time.Duration) error {
	switch format {
	case "json":
		return r.json(w)
	case "junit":
		return report.JUnit(w, r.name(), r.cases())
	}
	r.text(w, took)
	if format == "github" {
		return report.GitHub(w, r.cases())
	}
	return nil
}

// searched are the cases of a search: each finding, each doubt, and what was run where
// there is neither.
func searched(kind, target, ran string, found []search.Finding, told []report.Trial, doubts []search.Doubt, v harness.Verdict) []report.Case {
	var out []report.Case
	for i, f := range found {
		if i < len(told) {
			out = append(out, told[i].Case(kind, strings.Join(f.Lines(), "; "), called()))
		}
	}
	class := report.Trial{Target: target}.Case(kind, "", "").Class
	for _, d := range doubts {
		out = append(out, report.Case{Class: class, Name: strings.Join(d.Faults, "; "), Verdict: harness.Inconclusive, Reason: d.Reason})
	}
	if len(out) == 0 {
		out = append(out, report.Case{Class: class, Name: ran, Verdict: v, Reason: "nothing was found"})
	}
	return out
}
