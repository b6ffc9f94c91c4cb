package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/check"
	"github.com/retrydrill/drill/harness/report"
	"github.com/retrydrill/drill/harness/search"
	"github.com/retrydrill/drill/harness/suite"
)

// exploreSchema is the version line of a search's JSON.
const exploreSchema = "drill.explore/v1"

// explored is what drill explore prints.
type explored struct {
	Schema   string `json:"schema"`
	Seed     uint64 `json:"seed"`
	World    string `json:"world"`
	Executor string `json:"executor"`
	Target   string `json:"target"`
	Depth    int    `json:"depth"`
	Workers  int    `json:"workers"`
	*search.Result
	// Replays are the kept schedules, one a finding.
	Replays []string `json:"replays"`
}

// keep writes each finding's schedule for drill replay.
func (x *explored) keep() error {
	x.Replays = []string{}
	for _, f := range x.Findings {
		path, err := suite.Keep(keepDir, f.Schedule)
		if err != nil {
			return err
		}
		x.Replays = append(x.Replays, path)
	}
	return nil
}

func (x *explored) verdict() harness.Verdict {
	switch {
	case len(x.Findings) > 0:
		return harness.Unsafe
	case len(x.Unknown) > 0 || !x.Stable:
		return harness.Inconclusive
	}
	return harness.Safe
}

func (x *explored) json(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(x); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return nil
}

func (x *explored) text(w io.Writer, took time.Duration) {
	fmt.Fprintf(w, "executor %s, target %s, %s, seed %d\n\n", x.Executor, x.Target, x.World, x.Seed)
	for i, f := range x.Findings {
		fmt.Fprintf(w, "UNSAFE   %s, shown by %s\n", strings.Join(f.Invariants, ", "), amount(f.Times, "schedule", "schedules"))
		t := report.Trial{ID: "search/smallest", Executor: x.Executor, Target: x.Target, World: x.World, Replay: x.Replays[i]}
		report.Text{W: w, Color: colored(w), Command: called()}.Unsafe(t.Judged(f.History, check.Judge(f.History)))
		for _, also := range f.Also {
			fmt.Fprintf(w, "         also:   %s\n", strings.Join(also, "; "))
		}
		fmt.Fprintln(w)
	}
	for _, u := range x.Unknown {
		fmt.Fprintf(w, "UNKNOWN  %s: %s\n", strings.Join(u.Faults, "; "), u.Reason)
	}
	x.size(w)
	fmt.Fprintf(w, "\n%s, %s, in %s\n", amount(len(x.Findings), "distinct fault", "distinct faults"),
		amount(x.Ran, "schedule run", "schedules run"), took.Round(time.Millisecond))
	if x.verdict() == harness.Safe {
		fmt.Fprintln(w, "the search shows no fault; it does not show that there is none")
	}
}

// size states the space.
func (x *explored) size(w io.Writer) {
	fmt.Fprintf(w, "space    %s of the run without a fault, %s\n", amount(x.Boundaries, "boundary", "boundaries"), amount(x.Roots, "interleaving", "interleavings"))
	for depth, n := range x.ByDepth {
		fmt.Fprintf(w, "ran      %d with %s\n", n, amount(depth, "fault", "faults"))
	}
	for _, p := range x.Pruned {
		fmt.Fprintf(w, "pruned   %d: %s\n", p.N, p.Why)
	}
	if x.Unfired > 0 {
		fmt.Fprintf(w, "unfired  %d: the last fault had no place to strike, and counts as the schedule without it\n", x.Unfired)
	}
	if x.Elsewhere > 0 {
		fmt.Fprintf(w, "shards   %d first faults belong to the other parts\n", x.Elsewhere)
	}
	if x.NotRun > 0 {
		fmt.Fprintf(w, "not run  at least %d schedules that were known when the search ended\n", x.NotRun)
	}
	for _, l := range x.Left {
		fmt.Fprintf(w, "left     %s: %s\n", l.Fault, l.Why)
	}
	if !x.Stable {
		fmt.Fprintln(w, "unstable two runs without a fault differed: what was found may not come again")
	}
}
