package random

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"pgregory.net/rapid"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/check"
	"github.com/retrydrill/drill/harness/search"
	"github.com/retrydrill/drill/internal/splitmix"
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
	// Second is another opinion on each judged history, as in [search.Options].
	Second func(*harness.History, check.Judgement) string
	// Progress is told after each plan, without a number of known ones where the context
	// alone ends it; nil is told nothing.
	Progress func(search.Progress)
}

// Result is what was found.
type Result struct {
	// Shard of Shards is what part of the plans this is; both are absent of a whole.
	Shard  int `json:"shard,omitempty"`
	Shards int `json:"shards,omitempty"`
	// Checks counts the plans that were run, Unfired those in which a line found no
	// place to strike, Late those that are not judged, since a held request arrived in
	// them when its sender had given up and nobody could call it back, Steps the
	// schedules that were run to make findings small.
	Checks  int `json:"checks"`
	Unfired int `json:"unfired"`
	Late    int `json:"late"`
	Steps   int `json:"shrink_steps"`
	// Likeness of two runs without a fault.
	search.Likeness
	// Findings have one entry a distinct fault.
	Findings []search.Finding `json:"findings"`
	Unknown  []search.Doubt   `json:"unknown"`
	// Cases are what the findings were made of, in a shard.
	Cases []Case `json:"cases,omitempty"`

	cases []Case
}

// Case is what the plans broke that broke the same: the first of them was made small.
type Case struct {
	// At is the number of the first plan.
	At         int      `json:"at"`
	Invariants []string `json:"invariants"`
	// Times counts the plans, Steps what it took to make the first small.
	Times int `json:"times"`
	Steps int `json:"steps"`
	// Small is what came of it: it breaks one of the invariants at least.
	Small search.Finding `json:"small"`
}

// Fuzz draws plans, runs them, and makes small what fails. The result comes with every
// error: it holds what was known by then. The error is the context's when that ended.
func Fuzz(ctx context.Context, o Options) (*Result, error) {
	f := &fuzzer{Options: o, schedules: Schedules(o.Space),
		out: &Result{Shard: o.Shard, Shards: o.Shards, Findings: []search.Finding{}, Unknown: []search.Doubt{}}}
	defer f.out.tell()
	if err := f.repeats(ctx); err != nil {
		return f.out, err
	}
	batch := 16 * max(1, o.Parallel)
	for at := 0; o.Checks == 0 || at < o.Checks; at += batch {
		n := batch
		if o.Checks > 0 {
			n = min(n, o.Checks-at)
		}
		var plans []drawn
		for i := range n {
			if o.Shards < 2 || (at+i)%o.Shards == o.Shard-1 {
				plans = append(plans, drawn{at: at + i})
			}
		}
		if err := f.batch(ctx, plans); err != nil {
			return f.out, err
		}
		if o.First && len(f.out.cases) > 0 {
			break
		}
	}
	return f.out, nil
}

// repeats makes the run without a fault twice: where the two differ a plan may not come to
// the same again.
func (f *fuzzer) repeats(ctx context.Context) (err error) {
	f.out.Likeness, err = search.Repeats(ctx, f.World, f.Schedule)
	return f.failed(ctx, f.Schedule, err)
}

// planSeed tells the plans of one seed apart, and those of two seeds.
func planSeed(seed uint64, i int) int { return int(splitmix.At(seed, uint64(i+1)) >> 1) }

type fuzzer struct {
	Options
	schedules *rapid.Generator[harness.Schedule]
	out       *Result
}

// drawn is one plan, and its number, which decides it.
type drawn struct {
	at       int
	schedule harness.Schedule
}

// ran is one plan that was run.
type ran struct {
	history *harness.History
	judged  check.Judgement
	err     error
}

// batch draws plans and runs them, side by side, and takes what came of them in their order.
func (f *fuzzer) batch(ctx context.Context, plans []drawn) error {
	results := make([]ran, len(plans))
	next := make(chan int)
	var workers sync.WaitGroup
	for range max(1, f.Parallel) {
		workers.Go(func() {
			for i := range next {
				plans[i].schedule = f.schedules.Example(planSeed(f.Seed, plans[i].at))
				results[i] = f.run(ctx, &plans[i].schedule)
			}
		})
	}
	for i := range plans {
		next <- i
	}
	close(next)
	workers.Wait()
	var ended error
	for i, r := range results {
		err := r.err
		if err == nil {
			err = f.take(ctx, plans[i], r)
		}
		switch {
		case err != nil && errors.Is(err, context.Cause(ctx)):
			// What else ran by then is known all the same.
			ended = err
			continue
		case err != nil:
			return err
		}
		if f.Progress != nil {
			f.Progress(search.Progress{Ran: f.out.Checks, Known: f.known(), Findings: len(f.out.cases)})
		}
		if f.First && len(f.out.cases) > 0 {
			// What else ran beside it is not told.
			break
		}
	}
	return ended
}

// known is how many plans there are for this part, or 0 where nobody says.
func (f *fuzzer) known() int {
	if f.Shards < 2 || f.Checks == 0 {
		return f.Checks
	}
	return (f.Checks - f.Shard + f.Shards) / f.Shards
}

// run carries out one plan, with as many hand-overs as it takes.
func (f *fuzzer) run(ctx context.Context, s *harness.Schedule) (r ran) {
	if r.err = context.Cause(ctx); r.err != nil {
		return r
	}
	most := 0
	if r.history, r.judged, most, r.err = search.Through(ctx, f.World, *s); most > 0 {
		s.Limits.Deliveries = most
	}
	r.err = f.failed(ctx, *s, r.err)
	return r
}

// carry lets the world carry out one plan as it is.
func (f *fuzzer) carry(ctx context.Context, s harness.Schedule) (*harness.History, check.Judgement, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, check.Judgement{}, err
	}
	h, j, err := search.Judged(ctx, f.World, s)
	if err = f.failed(ctx, s, err); err != nil {
		return nil, j, err
	}
	return h, j, nil
}

// failed is why a plan was not carried out: the context ended, or the world could not.
func (f *fuzzer) failed(ctx context.Context, s harness.Schedule, err error) error {
	switch cause := context.Cause(ctx); {
	case cause != nil:
		return cause
	case err != nil:
		return fmt.Errorf("plan %q: %w", harness.Lines(s.Faults), err)
	}
	return nil
}

func (f *fuzzer) take(ctx context.Context, p drawn, r ran) error {
	f.out.Checks++
	if slices.ContainsFunc(r.history.Schedule.Faults, func(x harness.Fault) bool { return !r.history.Fired(&x) }) {
		f.out.Unfired++
	}
	if search.ArrivesLate(r.history) {
		f.out.Late++
		harness.Reuse(f.World, r.history)
		return nil
	}
	if f.Second != nil {
		if why := f.Second(r.history, r.judged); why != "" {
			f.doubt(p, why)
		}
	}
	switch r.judged.Verdict {
	case harness.Inconclusive:
		f.doubt(p, r.judged.Reason)
	case harness.Unsafe:
		return f.unsafe(ctx, p, r)
	}
	harness.Reuse(f.World, r.history)
	return nil
}

func (f *fuzzer) doubt(p drawn, why string) {
	d := search.Doubt{Faults: harness.Lines(p.schedule.Faults), Reason: why}
	if f.Shards > 1 {
		d.At = []int{p.at}
	}
	f.out.Unknown = append(f.out.Unknown, d)
}

// unsafe counts a plan that breaks just what an earlier one broke. The first of them
// is made small, whatever else is known, so that the parts of a split search do what
// the whole would.
func (f *fuzzer) unsafe(ctx context.Context, p drawn, r ran) error {
	broken := search.Broken(r.judged)
	for i := range f.out.cases {
		if slices.Equal(f.out.cases[i].Invariants, broken) {
			f.out.cases[i].Times++
			return nil
		}
	}
	c := Case{At: p.at, Invariants: broken, Times: 1}
	small, h, err := search.Smallest(ctx, p.schedule, r.history, broken[0], func(ctx context.Context, s harness.Schedule) (*harness.History, error) {
		c.Steps++
		h, _, err := f.carry(ctx, s)
		return h, err
	})
	// What the time was too short for is told as it was drawn, or as small as it got.
	j := check.Judge(h)
	c.Small = search.Finding{Invariants: search.Broken(j), Violations: j.Violations, Schedule: small, Times: 1, History: h}
	f.out.cases = append(f.out.cases, c)
	return err
}

// tell makes the findings out of the cases.
func (r *Result) tell() {
	r.Steps = 0
	for _, c := range r.cases {
		r.Steps += c.Steps
		c.Small.Times = c.Times
		r.Findings = search.Add(r.Findings, c.Small)
	}
	if r.Shards > 1 {
		r.Cases = r.cases
	}
}
