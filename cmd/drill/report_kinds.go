package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/report"
	"github.com/retrydrill/drill/harness/search"
	"github.com/retrydrill/drill/harness/search/random"
)

// wholeRun is a run of the catalogue.
type wholeRun struct{ *report.Run }

func (r wholeRun) verdict() harness.Verdict { return r.Verdict() }

func (r wholeRun) json(w io.Writer) error { return r.JSON(w) }

func (r wholeRun) cases() []report.Case { return r.Cases(called()) }

func (r wholeRun) name() string {
	if len(r.Trials) == 0 {
		return "drill run"
	}
	return "drill run " + r.Trials[0].Executor
}

func (r wholeRun) text(w io.Writer, _ time.Duration) {
	if len(r.Trials) == 0 {
		return
	}
	text := report.Text{W: w, Color: colored(w), Command: called(), Timeless: true}
	one := r.Trials[0]
	groups := grouped(r.Trials, func(t report.Trial) string { return t.Target })
	if len(groups) > 1 {
		text.HeadOf(one.Executor, len(groups), one.World, r.Seed)
		for _, g := range groups {
			text.Target(g[0].Target, g, 0)
		}
	} else {
		text.Head(one.Executor, one.Target, one.World, r.Seed)
		for _, g := range grouped(r.Trials, func(t report.Trial) string { return t.Scenario }) {
			text.Scenario(g)
		}
	}
	text.Foot(r.Run, 0)
}

// grouped puts trials together that stand beside each other and are alike.
func grouped(all []report.Trial, by func(report.Trial) string) (out [][]report.Trial) {
	for i, t := range all {
		if i == 0 || by(all[i-1]) != by(t) {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], t)
	}
	return out
}

func readRuns(files []string, texts [][]byte) (result, error) {
	runs, err := read[report.Run](files, texts)
	if err != nil || len(runs) == 1 && runs[0].Part == nil {
		return wholeRun{first(runs)}, err
	}
	if err := oneOf(files, runs, func(r *report.Run) bool { return r.Part != nil }, traitsOfRun); err != nil {
		return nil, err
	}
	r, err := report.Merge(runs)
	return wholeRun{r}, err
}

func first[T any](all []*T) *T {
	if len(all) == 0 {
		return nil
	}
	return all[0]
}

func traitsOfRun(r *report.Run) []trait {
	one := report.Trial{}
	if len(r.Trials) > 0 {
		one = r.Trials[0]
	}
	return append(traitsOf(r.Seed, one.World, one.Executor, strings.Join(r.Part.Targets, ", "), r.Part.Drill),
		trait{"digest of what was asked for (scenarios, action, limits, profiles)", r.Part.Asked})
}

func readExplored(files []string, texts [][]byte) (result, error) {
	all, err := read[explored](files, texts)
	if err != nil || len(all) == 1 && all[0].Shards < 2 {
		return first(all), err
	}
	out := *all[0]
	out.asked = asked{}
	out.Result, out.Trials, err = joined(files, all, search.Merge, func(r *search.Result) []search.Finding { return r.Findings }, func(x *explored) searchPart[*search.Result] {
		return searchPart[*search.Result]{x.Result, x.Trials, x.Shards, append(traitsOf(x.Seed, x.World, x.Executor, x.Target, x.Drill),
			trait{"depth", strconv.Itoa(x.Depth)}, trait{"number of workers", strconv.Itoa(x.Workers)},
			trait{"digest of what was asked for (action, limits, profile)", x.Asked})}
	})
	return &out, err
}

func readFuzzed(files []string, texts [][]byte) (result, error) {
	all, err := read[fuzzed](files, texts)
	if err != nil || len(all) == 1 && all[0].Shards < 2 {
		return first(all), err
	}
	out := *all[0]
	out.asked = asked{}
	out.Result, out.Trials, err = joined(files, all, random.Merge, func(r *random.Result) []search.Finding { return r.Findings }, func(x *fuzzed) searchPart[*random.Result] {
		return searchPart[*random.Result]{x.Result, x.Trials, x.Shards, append(traitsOf(x.Seed, x.World, x.Executor, x.Target, x.Drill),
			trait{"digest of what was asked for (checks, action, limits, profile)", x.Asked})}
	})
	return &out, err
}

// searchPart is what a part of a search brings, whatever kind of search it is.
type searchPart[R any] struct {
	result R
	// trials tell the findings, each by its smallest schedule.
	trials []report.Trial
	shards int
	traits []trait
}

// joined puts the parts of one search together, with a trial for each finding.
func joined[T, R any](files []string, all []*T, merge func([]R) (R, error), findings func(R) []search.Finding,
	of func(*T) searchPart[R]) (whole R, _ []report.Trial, err error) {
	if err := oneOf(files, all, func(x *T) bool { return of(x).shards > 1 }, func(x *T) []trait { return of(x).traits }); err != nil {
		return whole, nil, err
	}
	var parts []R
	told := map[string]report.Trial{}
	for _, x := range all {
		p := of(x)
		parts = append(parts, p.result)
		tellAgain(told, findings(p.result), p.trials)
	}
	if whole, err = merge(parts); err != nil {
		return whole, nil, err
	}
	return whole, toldAgain(told, findings(whole)), nil
}

func traitsOf(seed uint64, world, executor, target, drill string) []trait {
	return []trait{{"seed", strconv.FormatUint(seed, 10)}, {"version of drill", drill}, {"world", world}, {"executor", executor}, {"target", target}}
}

// tellAgain and toldAgain keep a finding's trial beside it.
func tellAgain(told map[string]report.Trial, found []search.Finding, trials []report.Trial) {
	for i, f := range found {
		if i < len(trials) {
			told[keyOf(f)] = trials[i]
		}
	}
}

func toldAgain(told map[string]report.Trial, found []search.Finding) []report.Trial {
	out := []report.Trial{}
	for _, f := range found {
		out = append(out, told[keyOf(f)])
	}
	return out
}

func keyOf(f search.Finding) string {
	return fmt.Sprintf("%s by %s, %+v", strings.Join(f.Invariants, ", "), strings.Join(f.Lines(), "; "), conditions(f.Schedule))
}
