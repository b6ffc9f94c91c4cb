package main

import (
	"fmt"
	"io"
	"time"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/search"
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

func (x *explored) verdict() harness.Verdict {
	if v := verdictOf(x.Findings, x.Unknown); v != harness.Safe || x.Stable {
		return v
	}
	return harness.Inconclusive
}

func (x *explored) text(w io.Writer, took time.Duration) {
	fmt.Fprintf(w, "executor %s, target %s, %s, seed %d\n\n", x.Executor, x.Target, x.World, x.Seed)
	tellFindings(w, x.Findings, x.Replays)
	for _, u := range x.Unknown {
		tellDoubt(w, u)
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
