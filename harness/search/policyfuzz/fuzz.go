package policyfuzz

import (
	"context"
	"strings"

	"github.com/retrydrill/drill/harness/policy"
	"github.com/retrydrill/drill/harness/search"
)

// Options say what is fuzzed, and for how long.
type Options struct {
	// Arenas are taken in turn, one a policy.
	Arenas []Arena
	// Seed is the source of every policy: the i-th of a seed is always the same.
	Seed uint64
	// Checks bounds the policies; 0 goes on until the context ends.
	Checks int
	// First ends at the first disagreement.
	First    bool
	Progress func(search.Progress)
}

// Result is what came of it.
type Result struct {
	// Checks counts the policies that were judged, Ran the schedules that were run.
	Checks int `json:"checks"`
	Ran    int `json:"schedules"`
	// Clean are the policies of which lint says nothing and that no schedule breaks,
	// Unsafe those of which both say that they are not safe, Quiet those of which lint
	// says what no schedule shows.
	Clean  int `json:"clean"`
	Unsafe int `json:"unsafe"`
	Quiet  int `json:"quiet"`
	// Rules counts the policies by the rule that found something.
	Rules map[string]int `json:"rules"`
	// Disagreements have the simplest policy that still shows each.
	Disagreements []Judged `json:"disagreements"`
}

// Fuzz draws policies and holds both judges against each other. The result comes with
// every error: it holds what was known by then. The error is the context's when that
// ended.
func Fuzz(ctx context.Context, o Options) (*Result, error) {
	out := &Result{Rules: map[string]int{}, Disagreements: []Judged{}}
	for i := 0; o.Checks == 0 || i < o.Checks; i++ {
		a := o.Arenas[i%len(o.Arenas)]
		p := Policies(a.Promises).Example(int(o.Seed)*1_000_003 + i)
		j, err := a.Judge(ctx, p)
		if err != nil {
			return out, err
		}
		out.take(j)
		if j.Disagrees != "" {
			small, err := a.Shrink(ctx, p, j)
			out.Disagreements = append(out.Disagreements, small)
			if err != nil {
				return out, err
			}
		}
		if o.Progress != nil {
			o.Progress(search.Progress{Ran: out.Checks, Known: o.Checks, Findings: len(out.Disagreements)})
		}
		if o.First && len(out.Disagreements) > 0 {
			break
		}
	}
	return out, nil
}

func (r *Result) take(j Judged) {
	r.Checks++
	r.Ran += j.Ran
	switch {
	case j.Disagrees != "":
	case len(j.Found) > 0:
		r.Unsafe++
	case len(j.Lint) > 0:
		r.Quiet++
	default:
		r.Clean++
	}
	seen := map[string]bool{}
	for _, f := range j.Lint {
		if !seen[f.Rule] {
			seen[f.Rule] = true
			r.Rules[f.Rule]++
		}
	}
}

// Shrink takes away from a policy what the disagreement does not need: until nothing
// of it can be as in the default.
func (a Arena) Shrink(ctx context.Context, p policy.Policy, j Judged) (Judged, error) {
	way, _, _ := strings.Cut(j.Disagrees, ",")
	for {
		again := false
		for _, q := range simpler(p) {
			small, err := a.Judge(ctx, q)
			if err != nil {
				return j, err
			}
			if strings.HasPrefix(small.Disagrees, way) {
				p, j, again = q, small, true
				break
			}
		}
		if !again {
			return j, nil
		}
	}
}
