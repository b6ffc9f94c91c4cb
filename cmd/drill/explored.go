package main

import (
	"fmt"
	"io"
	"time"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/report"
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
	// Trials tell the findings, each by its smallest schedule.
	Trials []report.Trial `json:"trials"`
	asked
}

func (x *explored) verdict() harness.Verdict {
	return steady(verdictOf(x.Findings, x.Unknown), x.Stable)
}

// steady is the verdict of a search: unknown at best where the executor did not do the same
// each time.
func steady(v harness.Verdict, stable bool) harness.Verdict {
	if v == harness.Safe && !stable {
		return harness.Inconclusive
	}
	return v
}

func (x *explored) json(w io.Writer) error { return writeJSON(w, x) }

func (x *explored) name() string { return "drill explore " + x.Executor }

func (x *explored) cases() []report.Case {
	return searched("explore", x.Target, amount(x.Ran, "schedule", "schedules"), x.Findings, x.Trials, x.Unknown, x.verdict())
}

// text tells it to a person; took is left out where it is 0.
func (x *explored) text(w io.Writer, took time.Duration) {
	fmt.Fprintf(w, "executor %s, target %s, %s, seed %d\n\n", x.Executor, x.Target, x.World, x.Seed)
	tellFindings(w, x.Findings, x.Trials, x.Unknown)
	x.size(w)
	fmt.Fprintf(w, "\n%s, %s%s\n", amount(len(x.Findings), "distinct fault", "distinct faults"), amount(x.Ran, "schedule run", "schedules run"), within(took))
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
	if x.Shards > 1 {
		fmt.Fprintf(w, "shards   part %d of %d: %d first faults belong to the others\n", x.Shard, x.Shards, x.Elsewhere)
	}
	if x.NotRun > 0 {
		fmt.Fprintf(w, "not run  at least %d schedules that were known when the search ended\n", x.NotRun)
	}
	for _, l := range x.Left {
		fmt.Fprintf(w, "left     %s: %s\n", l.Fault, l.Why)
	}
	tellLikeness(w, x.Likeness)
}

// tellLikeness says whether the executor did the same each time.
func tellLikeness(w io.Writer, l search.Likeness) {
	switch {
	case l.Stable && l.Varies:
		fmt.Fprintln(w, "varies   the same steps had other contents in another run (keys, bodies or arguments): each run is judged by itself")
	case l.Stable:
	case l.Differs == "":
		fmt.Fprintln(w, "not run  the run without a fault was not made twice: whether the executor does the same each time is not known")
	default:
		fmt.Fprintf(w, "unstable two runs differed where no fault had struck: %s; what was found may not come again\n", l.Differs)
	}
}

// within says how long it took, where that is known.
func within(took time.Duration) string {
	if took == 0 {
		return ""
	}
	return ", in " + took.Round(time.Millisecond).String()
}
