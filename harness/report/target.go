package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/retrydrill/drill/harness"
)

// HeadOf prints what is run against how many targets.
func (t Text) HeadOf(executor string, targets int, world string, seed uint64) {
	fmt.Fprintf(t.W, "executor %s, %d targets, %s, seed %d\n\n", executor, targets, world, seed)
}

// Target prints one target: a line, what was left to a person and why, and the
// scenarios that are not safe.
func (t Text) Target(name string, trials []Trial, took time.Duration) {
	verdict := harness.Skipped
	count := map[harness.Verdict]int{}
	for _, tr := range trials {
		count[tr.Verdict]++
		if tr.Verdict.Worse(verdict) {
			verdict = tr.Verdict
		}
	}
	fmt.Fprintf(t.W, "%s %-20s %3d safe %3d skipped", t.paint(verdict), name, count[harness.Safe], count[harness.Skipped])
	if !t.Timeless {
		fmt.Fprintf(t.W, " %9s", took.Round(time.Millisecond))
	}
	if told := toldBy(trials); told != "" {
		fmt.Fprintf(t.W, "  %s", told)
	}
	fmt.Fprintln(t.W)
	for _, v := range []harness.Verdict{harness.Unsafe, harness.Inconclusive} {
		if count[v] > 0 {
			fmt.Fprintf(t.W, "         %d %s\n", count[v], v)
		}
	}
	for _, g := range reviews(trials) {
		fmt.Fprintf(t.W, "         needs_review: %s (%s)\n", g.why, plural(g.n, "trial"))
	}
	for _, s := range byScenario(trials) {
		if slices.ContainsFunc(s, func(tr Trial) bool {
			return tr.Verdict == harness.Unsafe || tr.Verdict == harness.Inconclusive
		}) {
			t.Scenario(s)
		}
	}
}

// toldBy counts what ended doubts about requests.
func toldBy(trials []Trial) string {
	count := map[string]int{}
	left := 0
	for _, tr := range trials {
		for _, by := range tr.ToldBy {
			count[by]++
		}
		if tr.Review() != "" {
			left++
		}
	}
	var out []string
	for _, by := range []string{"look-up", "kept key"} {
		if n := count[by]; n > 0 {
			out = append(out, fmt.Sprintf("a %s in %d", by, n))
		}
	}
	switch {
	case len(out) == 0 && left == 0:
		return ""
	case left > 0:
		out = append(out, fmt.Sprintf("nobody in %d", left))
	}
	return "doubts ended by " + strings.Join(out, ", ")
}

// review is a reason for which trials were left to a person.
type review struct {
	why string
	n   int
}

func reviews(trials []Trial) (out []review) {
	for _, tr := range trials {
		why := tr.Review()
		if why == "" {
			continue
		}
		i := slices.IndexFunc(out, func(r review) bool { return r.why == why })
		if i < 0 {
			i, out = len(out), append(out, review{why: why})
		}
		out[i].n++
	}
	return out
}

// byScenario groups trials that stand together.
func byScenario(trials []Trial) (out [][]Trial) {
	for i, tr := range trials {
		if i == 0 || trials[i-1].Scenario != tr.Scenario || trials[i-1].Target != tr.Target {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], tr)
	}
	return out
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
