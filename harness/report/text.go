package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/retrydrill/drill/harness"
)

// Text tells a run to a person, one scenario after the other as they come.
type Text struct {
	W io.Writer
	// Color paints verdicts.
	Color bool
	// Command is how drill was called, for the lines that repeat a trial.
	Command string
	// Timeless leaves out how long it took: what was read from files does not say.
	Timeless bool
}

// Head prints what is run against what.
func (t Text) Head(executor, target, world string, seed uint64) {
	fmt.Fprintf(t.W, "executor %s, target %s, %s, seed %d\n\n", executor, target, world, seed)
}

// Scenario prints one scenario: a line, and under it what is not safe.
func (t Text) Scenario(trials []Trial) {
	if len(trials) == 0 {
		return
	}
	verdict := harness.Skipped
	var took time.Duration
	effects, attempts := span{}, span{}
	ran := 0
	for _, tr := range trials {
		if tr.Verdict.Worse(verdict) {
			verdict = tr.Verdict
		}
		if tr.Verdict == harness.Skipped {
			continue
		}
		ran++
		took += tr.Took
		attempts.add(tr.Attempts)
		for _, a := range tr.Actions {
			effects.add(a.Effects)
		}
	}
	fmt.Fprintf(t.W, "%s %-20s", t.paint(verdict), trials[0].Scenario)
	if ran > 0 {
		fmt.Fprintf(t.W, " effects %-4s attempts %-5s", effects, attempts)
		if !t.Timeless {
			fmt.Fprintf(t.W, " %8s", took.Round(time.Millisecond))
		}
		if len(trials) > 1 {
			fmt.Fprintf(t.W, "  %d of %d trials", ran, len(trials))
		}
	}
	fmt.Fprintln(t.W)
	t.reasons(trials)
	told := false
	for _, tr := range trials {
		if tr.Verdict == harness.Unsafe {
			t.unsafe(tr, !told)
			told = true
		}
	}
	if told {
		fmt.Fprintln(t.W)
	}
}

// fewNames is how many trials are named rather than counted.
const fewNames = 3

// reasons prints once each why trials were skipped or are unknown, and caveats.
func (t Text) reasons(trials []Trial) {
	say := func(word string, keep func(Trial) []string) {
		var order []string
		names := map[string][]string{}
		for _, tr := range trials {
			for _, r := range keep(tr) {
				if names[r] == nil {
					order = append(order, r)
				}
				names[r] = append(names[r], tr.trialName())
			}
		}
		for _, r := range order {
			which := ""
			switch n := len(names[r]); {
			case n == len(trials):
			case n > fewNames:
				which = fmt.Sprintf(" (%d trials)", n)
			default:
				which = " (" + strings.Join(names[r], "; ") + ")"
			}
			fmt.Fprintf(t.W, "         %s: %s%s\n", word, r, which)
		}
	}
	with := func(v harness.Verdict) func(Trial) []string {
		return func(tr Trial) []string {
			if tr.Verdict != v {
				return nil
			}
			return []string{tr.Reason}
		}
	}
	say("unknown", with(harness.Inconclusive))
	say("needs_review", func(tr Trial) []string {
		if why := tr.Review(); why != "" {
			return []string{why}
		}
		return nil
	})
	say("skipped", with(harness.Skipped))
	say("caveat", func(tr Trial) []string { return tr.Caveats })
}

// Unsafe prints the whole story of one trial and what it broke.
func (t Text) Unsafe(tr Trial) { t.unsafe(tr, true) }

// unsafe prints what one trial broke; the whole story of the first of a scenario.
func (t Text) unsafe(tr Trial, whole bool) {
	fmt.Fprintf(t.W, "\n         %s", tr.trialName())
	if len(tr.Faults) > 0 {
		var lines []string
		for _, f := range tr.Faults {
			lines = append(lines, f.Fault)
		}
		fmt.Fprintf(t.W, ": %s", strings.Join(lines, "; "))
	}
	fmt.Fprintln(t.W)
	if told := tr.story(); whole && told != nil {
		var marked []int
		for _, v := range tr.Violations {
			marked = append(marked, v.Events...)
		}
		for _, l := range told {
			mark := " "
			if slices.Contains(marked, l.Seq) {
				mark = "*"
			}
			fmt.Fprintf(t.W, "       %s %3d  %s\n", mark, l.Seq, l.Text)
		}
	}
	for _, g := range alike(tr.Violations) {
		v := g[0]
		fmt.Fprintf(t.W, "         broken: %s", v.Invariant)
		if v.Action != "" {
			fmt.Fprintf(t.W, " (%s)", v.Action)
		}
		fmt.Fprintf(t.W, ": expected %s, observed %s", v.Expected, v.Observed)
		if len(v.Events) > 0 {
			fmt.Fprintf(t.W, " %s", events(v.Events))
		}
		if len(g) > 1 {
			fmt.Fprintf(t.W, ", and %d more like it", len(g)-1)
		}
		fmt.Fprintln(t.W)
	}
	if tr.Replay != "" {
		fmt.Fprintf(t.W, "         again:  %s replay %s\n", t.Command, tr.Replay)
	}
	if tr.Kept != "" {
		fmt.Fprintf(t.W, "         history: %s\n", tr.Kept)
	}
}

// alike puts violations together that differ in their events alone, in the order in
// which each kind is first seen.
func alike(all []harness.Violation) (groups [][]harness.Violation) {
	for _, v := range all {
		i := slices.IndexFunc(groups, func(g []harness.Violation) bool {
			return g[0].Invariant == v.Invariant && g[0].Action == v.Action && g[0].Expected == v.Expected && g[0].Observed == v.Observed
		})
		if i < 0 {
			groups = append(groups, []harness.Violation{v})
		} else {
			groups[i] = append(groups[i], v)
		}
	}
	return groups
}

// Foot prints the sum.
func (t Text) Foot(r *Run, took time.Duration) {
	s := r.Summary
	if told := toldBy(r.Trials); told != "" {
		fmt.Fprintf(t.W, "\n%s\n", told)
	}
	fmt.Fprintf(t.W, "\n%d safe, %d unsafe, %d unknown, %d skipped", s.Safe, s.Unsafe, s.Unknown, s.Skipped)
	if !t.Timeless {
		fmt.Fprintf(t.W, " in %s", took.Round(time.Millisecond))
	}
	fmt.Fprintln(t.W)
	fmt.Fprintln(t.W, "drill shows the presence of faults, not their absence.")
}

// story is what was told already, or what was recorded.
func (tr Trial) story() []Line {
	if tr.Story == nil && tr.History != nil {
		return Story(tr.History)
	}
	return tr.Story
}

func (tr Trial) trialName() string {
	return strings.TrimPrefix(tr.ID, tr.Scenario+"/")
}

func events(seqs []int) string {
	var out []string
	for _, n := range seqs {
		out = append(out, fmt.Sprint(n))
	}
	word := "event"
	if len(seqs) > 1 {
		word = "events"
	}
	return fmt.Sprintf("[%s %s]", word, strings.Join(out, ", "))
}

var paints = map[harness.Verdict]string{
	harness.Safe: "\x1b[32m", harness.Unsafe: "\x1b[1;31m", harness.Inconclusive: "\x1b[33m", harness.Skipped: "\x1b[2m",
}

func (t Text) paint(v harness.Verdict) string {
	word := fmt.Sprintf("%-8s", v)
	if v == harness.Unsafe {
		word = fmt.Sprintf("%-8s", "UNSAFE")
	}
	if !t.Color {
		return word
	}
	return paints[v] + word + "\x1b[0m"
}

// span is the smallest and largest of some counts.
type span struct {
	lo, hi int
	some   bool
}

func (s *span) add(n int) {
	if !s.some {
		*s = span{n, n, true}
	}
	s.lo, s.hi = min(s.lo, n), max(s.hi, n)
}

func (s span) String() string {
	switch {
	case !s.some:
		return "-"
	case s.lo == s.hi:
		return fmt.Sprint(s.lo)
	}
	return fmt.Sprintf("%d-%d", s.lo, s.hi)
}
