package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/check"
	"github.com/retrydrill/drill/harness/report"
	"github.com/retrydrill/drill/harness/search"
	"github.com/retrydrill/drill/harness/suite"
)

// tellable keeps each finding's schedule for drill replay, and tells what happened.
func tellable(found []search.Finding) ([]report.Trial, error) {
	out := []report.Trial{}
	for _, f := range found {
		path, err := suite.Keep(keepDir, f.Schedule)
		if err != nil {
			return out, err
		}
		t := report.Trial{ID: "smallest", World: f.Schedule.World, Executor: suite.ExecutorName(f.Schedule.Executor), Target: f.Schedule.Profile, Replay: path}
		t = t.Judged(f.History, check.Judge(f.History))
		t.Story = report.Story(f.History)
		out = append(out, t)
	}
	return out, nil
}

// tellFindings tells each finding by its smallest schedule, and those that break the
// same as one before them in short; then what a search could not settle.
func tellFindings(w io.Writer, found []search.Finding, told []report.Trial, doubts []search.Doubt) {
	for i, f := range found {
		same := func(g search.Finding) bool { return slices.Equal(f.Invariants, g.Invariants) }
		if slices.IndexFunc(found, same) < i {
			continue
		}
		fmt.Fprintf(w, "UNSAFE   %s, shown by %s\n", strings.Join(f.Invariants, ", "), amount(f.Times, "schedule", "schedules"))
		report.Text{W: w, Color: colored(w), Command: called()}.Unsafe(told[i])
		if c := conditions(f.Schedule); c != "" {
			fmt.Fprintf(w, "         with:   %s\n", c)
		}
		for k, g := range found[i+1:] {
			if same(g) {
				fmt.Fprintf(w, "         also:   %s, shown by %s: %s replay %s\n", strings.Join(g.Lines(), "; "), amount(g.Times, "schedule", "schedules"),
					called(), told[i+1+k].Replay)
			}
		}
		fmt.Fprintln(w)
	}
	for _, d := range doubts {
		fmt.Fprintf(w, "UNKNOWN  %s: %s\n", strings.Join(d.Faults, "; "), d.Reason)
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

func verdictOf(found []search.Finding, doubts []search.Doubt) harness.Verdict {
	switch {
	case len(found) > 0:
		return harness.Unsafe
	case len(doubts) > 0:
		return harness.Inconclusive
	}
	return harness.Safe
}
