package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/check"
	"github.com/retrydrill/drill/harness/report"
	"github.com/retrydrill/drill/harness/search"
	"github.com/retrydrill/drill/harness/suite"
)

// keepFindings writes each finding's schedule for drill replay.
func keepFindings(found []search.Finding) ([]string, error) {
	out := []string{}
	for _, f := range found {
		path, err := suite.Keep(keepDir, f.Schedule)
		if err != nil {
			return out, err
		}
		out = append(out, path)
	}
	return out, nil
}

// tellFindings tells each finding by its smallest schedule.
func tellFindings(w io.Writer, found []search.Finding, replays []string) {
	for i, f := range found {
		fmt.Fprintf(w, "UNSAFE   %s, shown by %s\n", strings.Join(f.Invariants, ", "), amount(f.Times, "schedule", "schedules"))
		t := report.Trial{ID: "smallest", Replay: replays[i]}
		report.Text{W: w, Color: colored(w), Command: called()}.Unsafe(t.Judged(f.History, check.Judge(f.History)))
		if c := conditions(f.Schedule); c != "" {
			fmt.Fprintf(w, "         with:   %s\n", c)
		}
		for _, also := range f.Also {
			fmt.Fprintf(w, "         also:   %s\n", strings.Join(also, "; "))
		}
		fmt.Fprintln(w)
	}
}

// conditions are what a schedule says beside its lines.
func conditions(s harness.Schedule) string {
	var out []string
	if s.Connection != "" {
		out = append(out, s.Connection+" connections")
	}
	if s.AtLeast > 0 {
		out = append(out, fmt.Sprintf("at least %d deliveries", s.AtLeast))
	}
	if s.Order != "" {
		out = append(out, s.Order+" order")
	}
	if s.Settings != (harness.Settings{}) {
		b, err := yaml.MarshalWithOptions(s.Settings, yaml.Flow(true))
		if err == nil {
			out = append(out, "settings "+strings.TrimSpace(string(b)))
		}
	}
	return strings.Join(out, ", ")
}

func tellDoubt(w io.Writer, d search.Doubt) {
	fmt.Fprintf(w, "UNKNOWN  %s: %s\n", strings.Join(d.Faults, "; "), d.Reason)
}

func verdictOf(found []search.Finding, doubts []search.Doubt) harness.Verdict {
	switch {
	case len(found) > 0:
		return harness.Unsafe
	case len(doubts) > 0:
		return harness.Inconclusive
	}
	return harness.Safe
}
