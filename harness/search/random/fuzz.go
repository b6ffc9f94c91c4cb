package random

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/check"
	"github.com/retrydrill/drill/harness/search"
)

// Options say what is fuzzed, and for how long.
type Options struct {
	Space
	World harness.World
	// Seed is the source of every plan: the i-th plan of a seed is always the same.
	Seed uint64
	// Checks bounds the plans; 0 goes on until the context ends.
	Checks int
	// Parallel is how many run at once; below 1 is 1.
	Parallel int
	// First ends at the first finding.
	First bool
	// Shard of Shards: every Shards-th plan, from 1; 0 is every one.
	Shard, Shards int
	Progress      func(search.Progress)
}

// Result is what was found.
type Result struct {
	// Checks counts the plans that were run, Unfired those in which a line found no
	// place to strike, Steps the schedules that were run to make findings small.
	Checks  int `json:"checks"`
	Unfired int `json:"unfired"`
	Steps   int `json:"shrink_steps"`
	// Findings have one entry a distinct fault.
	Findings []search.Finding `json:"findings"`
	Unknown  []search.Doubt   `json:"unknown"`
}

// Fuzz draws plans, runs them, and makes small what fails. The result comes with every
// error: it holds what was known by then. The error is the context's when that ended.
func Fuzz(ctx context.Context, o Options) (*Result, error) {
	f := &fuzzer{Options: o, out: &Result{Findings: []search.Finding{}, Unknown: []search.Doubt{}}}
	gen := Schedules(o.Space)
	batch := 16 * max(1, o.Parallel)
	for at := 0; o.Checks == 0 || at < o.Checks; at += batch {
		n := batch
		if o.Checks > 0 {
			n = min(n, o.Checks-at)
		}
		var plans []harness.Schedule
		for i := range n {
			if o.Shards < 2 || (at+i)%o.Shards == o.Shard-1 {
				plans = append(plans, gen.Example(planSeed(o.Seed, at+i)))
			}
		}
		if err := f.batch(ctx, plans); err != nil {
			return f.out, err
		}
		if o.First && len(f.out.Findings) > 0 {
			break
		}
	}
	return f.out, nil
}

// planSeed tells the plans of one seed apart, and those of two seeds (SplitMix64).
func planSeed(seed uint64, i int) int {
	z := seed + uint64(i+1)*0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return int((z ^ z>>31) >> 1)
}

type fuzzer struct {
	Options
	out *Result
}

// ran is one plan that was run.
type ran struct {
	history *harness.History
	judged  check.Judgement
	err     error
}

// batch runs plans side by side, and takes what came of them in their order.
func (f *fuzzer) batch(ctx context.Context, plans []harness.Schedule) error {
	results := make([]ran, len(plans))
	next := make(chan int)
	var workers sync.WaitGroup
	for range max(1, f.Parallel) {
		workers.Go(func() {
			for i := range next {
				results[i] = f.run(ctx, plans[i])
			}
		})
	}
	for i := range plans {
		next <- i
	}
	close(next)
	workers.Wait()
	for i, r := range results {
		if r.err != nil {
			return r.err
		}
		if err := f.take(ctx, plans[i], r); err != nil {
			return err
		}
		if f.Progress != nil {
			f.Progress(search.Progress{Ran: f.out.Checks, Known: f.Checks, Findings: len(f.out.Findings)})
		}
	}
	return nil
}

func (f *fuzzer) run(ctx context.Context, s harness.Schedule) ran {
	h, err := f.carry(ctx, s)
	if err != nil {
		return ran{err: err}
	}
	return ran{history: h, judged: check.Judge(h)}
}

// carry lets the world carry out one plan.
func (f *fuzzer) carry(ctx context.Context, s harness.Schedule) (*harness.History, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	h, err := f.World.Run(ctx, s)
	if cause := context.Cause(ctx); cause != nil {
		return nil, cause
	}
	if err != nil {
		return nil, fmt.Errorf("plan %q: %w", texts(s), err)
	}
	return h, nil
}

func (f *fuzzer) take(ctx context.Context, s harness.Schedule, r ran) error {
	f.out.Checks++
	if slices.ContainsFunc(r.history.FaultsFired(), func(x harness.FaultFired) bool { return !x.Fired }) {
		f.out.Unfired++
	}
	switch r.judged.Verdict {
	case harness.Inconclusive:
		f.out.Unknown = append(f.out.Unknown, search.Doubt{Faults: texts(s), Reason: r.judged.Reason})
	case harness.Unsafe:
		if f.known(r.judged) {
			return nil
		}
		small, h, err := f.shrink(ctx, s, r)
		if err != nil {
			return err
		}
		f.add(small, h)
		return nil
	}
	harness.Reuse(f.World, r.history)
	return nil
}

// known counts a plan that breaks just what a finding breaks.
func (f *fuzzer) known(j check.Judgement) bool {
	for i := range f.out.Findings {
		if slices.Equal(f.out.Findings[i].Invariants, search.Broken(j)) {
			f.out.Findings[i].Times++
			return true
		}
	}
	return false
}

// shrink keeps a smaller plan that breaks at least one of the same invariants.
func (f *fuzzer) shrink(ctx context.Context, s harness.Schedule, r ran) (harness.Schedule, *harness.History, error) {
	return search.Smallest(ctx, s, r.history, search.Broken(r.judged)[0], func(ctx context.Context, c harness.Schedule) (*harness.History, error) {
		f.out.Steps++
		return f.carry(ctx, c)
	})
}

// add makes a finding, or counts it where the smaller plan breaks what is known.
func (f *fuzzer) add(s harness.Schedule, h *harness.History) {
	j := check.Judge(h)
	if f.known(j) {
		return
	}
	f.out.Findings = append(f.out.Findings, search.Finding{Invariants: search.Broken(j), Violations: j.Violations, Schedule: s,
		Times: 1, Also: [][]string{}, History: h})
}

func texts(s harness.Schedule) []string {
	out := make([]string, 0, len(s.Faults))
	for _, f := range s.Faults {
		out = append(out, f.String())
	}
	return out
}
