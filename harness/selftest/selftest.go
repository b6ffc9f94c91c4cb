package selftest

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/reference"
	"github.com/retrydrill/drill/harness/report"
	"github.com/retrydrill/drill/harness/suite"
)

// Options say what is measured.
type Options struct {
	// At gives the run of an executor against a target, world and catalogue included.
	At      func(executor, target string) (suite.Options, error)
	Mutants []reference.Mutant
	// Twins are run at all their targets, beside those that the mutants name.
	Twins []reference.Twin
	Seed  uint64
	World string
	// Parallel is how many runs are under way at once; below 1 is 1.
	Parallel int
	// Search looks for a schedule that convicts an executor at a target and clears its
	// twin, by the wanted invariant if that is not empty; nil where no search is made.
	// Always makes one for every mutant, else for those alone that no second scenario
	// convicts.
	Search func(ctx context.Context, executor, twin, target, wanted string) (Found, error)
	Always bool
	// Clear searches all schedules of one fault at a target and returns those that
	// convict an executor, each with what broke; nil where no search is made.
	Clear func(ctx context.Context, executor, target string) (convicted []string, ran int, err error)
	// Progress is told after each mutant; nil is told nothing.
	Progress func(done, all int)
}

// the default of [reference.Mutant.Target] and [reference.Mutant.Twin].
const (
	defaultTarget = "stripe-v1"
	defaultTwin   = "reference"
)

// Run runs every mutant and every twin. What could not be carried out at all is an
// error; what is not as it should be stands in the matrix.
func Run(ctx context.Context, o Options) (*Matrix, error) {
	m := &Matrix{Schema: Schema, Seed: o.Seed, World: o.World, Rows: make([]Row, len(o.Mutants)), Twins: []Twin{}}
	twins, err := o.twins(ctx)
	if err != nil {
		return m, err
	}
	var mu sync.Mutex
	done := 0
	err = each(o.Parallel, len(o.Mutants), func(i int) error {
		r, err := o.row(ctx, o.Mutants[i], twins)
		mu.Lock()
		defer mu.Unlock()
		m.Rows[i] = r
		if done++; o.Progress != nil && err == nil {
			o.Progress(done, len(o.Mutants))
		}
		return err
	})
	for _, k := range o.pairs() {
		m.Twins = append(m.Twins, twins[k].twin(k))
	}
	return m, err
}

// pair is an executor at a target.
type pair struct{ executor, target string }

func twinOf(m reference.Mutant) pair {
	return pair{cmp.Or(m.Twin, defaultTwin), cmp.Or(m.Target, defaultTarget)}
}

// pairs are the twins that the mutants name, the reference beside each of them, and the
// further twins at all their targets, each once.
func (o Options) pairs() []pair {
	var out []pair
	add := func(k pair) {
		if !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	for _, m := range o.Mutants {
		add(pair{defaultTwin, cmp.Or(m.Target, defaultTarget)})
	}
	for _, t := range o.Twins {
		for _, target := range t.Targets {
			add(pair{defaultTwin, target})
		}
	}
	for _, m := range o.Mutants {
		add(twinOf(m))
	}
	for _, t := range o.Twins {
		for _, target := range t.Targets {
			add(pair{t.Name, target})
		}
	}
	return out
}

// ran is a run of the catalogue, by scenario.
type ran struct {
	verdict harness.Verdict
	order   []string
	worst   map[string]harness.Verdict
	broken  map[string][]string
	// searched are the schedules of a search that convict, out of so many that ran.
	searched []string
	ran      int
}

func (r ran) twin(k pair) Twin {
	t := Twin{Executor: k.executor, Target: k.target, Verdict: r.verdict, Convicted: []string{}, Ran: r.ran}
	for _, s := range r.order {
		if v := r.worst[s]; v == harness.Unsafe || v == harness.Inconclusive {
			t.Convicted = append(t.Convicted, fmt.Sprintf("%s (%s)", s, v))
		}
	}
	t.Convicted = append(t.Convicted, r.searched...)
	return t
}

func (o Options) twins(ctx context.Context) (map[pair]ran, error) {
	keys := o.pairs()
	out := map[pair]ran{}
	var mu sync.Mutex
	err := each(o.Parallel, len(keys), func(i int) error {
		r, err := o.catalogue(ctx, keys[i])
		if err == nil && o.Clear != nil && keys[i].executor != defaultTwin {
			r.searched, r.ran, err = o.Clear(ctx, keys[i].executor, keys[i].target)
		}
		mu.Lock()
		defer mu.Unlock()
		out[keys[i]] = r
		return err
	})
	return out, err
}

// catalogue runs all scenarios.
func (o Options) catalogue(ctx context.Context, k pair) (ran, error) {
	out := ran{worst: map[string]harness.Verdict{}, broken: map[string][]string{}}
	s, err := o.At(k.executor, k.target)
	if err != nil {
		return out, err
	}
	r, err := suite.Run(ctx, s, nil)
	if err != nil {
		return out, fmt.Errorf("%s at %s: %w", k.executor, k.target, err)
	}
	out.verdict = r.Verdict()
	for _, t := range r.Trials {
		out.take(t)
	}
	return out, nil
}

func (r *ran) take(t report.Trial) {
	if _, seen := r.worst[t.Scenario]; !seen {
		r.order = append(r.order, t.Scenario)
	}
	r.worst[t.Scenario] = worse(r.worst[t.Scenario], t.Verdict)
	for _, v := range t.Violations {
		if !slices.Contains(r.broken[t.Scenario], v.Invariant) {
			r.broken[t.Scenario] = append(r.broken[t.Scenario], v.Invariant)
		}
	}
}

// worse orders verdicts of trials: one that was carried out says more than one that
// was skipped.
func worse(a, b harness.Verdict) harness.Verdict {
	order := []harness.Verdict{harness.Skipped, harness.Safe, harness.Inconclusive, harness.Unsafe}
	if slices.Index(order, b) > slices.Index(order, a) {
		return b
	}
	return a
}

func (o Options) row(ctx context.Context, m reference.Mutant, twins map[pair]ran) (Row, error) {
	twin := twinOf(m)
	row := Row{Class: m.Class, Mutant: m.Name, Doc: m.Doc, Case: m.Case, Target: twin.target, Invariant: m.Invariant, Scenario: m.Scenario,
		Broken: []string{}, Elsewhere: []string{}, Twin: twin.executor, NotShown: m.NotShown}
	if m.NotShown != "" {
		return row, nil
	}
	row.Cleared = twins[twin].worst[m.Scenario] == harness.Safe && twins[pair{defaultTwin, twin.target}].worst[m.Scenario] == harness.Safe
	r, err := o.catalogue(ctx, pair{m.Name, twin.target})
	if err != nil {
		return row, err
	}
	row.Broken = append(row.Broken, r.broken[m.Scenario]...)
	for _, s := range r.order {
		if s != m.Scenario && slices.Contains(r.broken[s], m.Invariant) {
			row.Elsewhere = append(row.Elsewhere, s)
		}
	}
	if o.Search != nil && (o.Always || len(row.Elsewhere) == 0) {
		wanted := ""
		if len(row.Elsewhere) == 0 {
			wanted = m.Invariant
		}
		f, err := o.Search(ctx, m.Name, twin.executor, twin.target, wanted)
		if err != nil {
			return row, fmt.Errorf("search of %s at %s: %w", m.Name, twin.target, err)
		}
		row.Found = &f
	}
	row.Wrong = row.judge()
	return row, nil
}

// each calls f for 0 to n-1, so many at once, and returns the first error in order.
func each(parallel, n int, f func(int) error) error {
	errs := make([]error, n)
	next := make(chan int)
	var workers sync.WaitGroup
	for range max(1, parallel) {
		workers.Go(func() {
			for i := range next {
				errs[i] = f(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	workers.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
