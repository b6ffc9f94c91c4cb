package selftest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
)

// TestJudge: each way in which a mutant is not caught is told, and none is passed
// over.
func TestJudge(t *testing.T) {
	good := Row{Mutant: "m", Invariant: "one-effect", Scenario: "s", Broken: []string{"settles", "one-effect"}, Elsewhere: []string{"other"}, Twin: "twin", Cleared: true}
	for _, c := range []struct {
		why    string
		change func(*Row)
	}{
		{"", func(*Row) {}},
		{"", func(r *Row) {
			r.Elsewhere, r.Found = nil, &Found{Lines: []string{"create#1 response close"}, Broken: []string{"one-effect"}}
		}},
		{"", func(r *Row) { r.NotShown, r.Broken = "needs a queue", nil }},
		{"it escapes", func(r *Row) { r.Broken = nil }},
		{"it is convicted by other invariants only", func(r *Row) { r.Broken = []string{"settles"} }},
		{"it is convicted in one scenario only", func(r *Row) { r.Elsewhere = nil }},
		{"it is convicted in one scenario only", func(r *Row) { r.Elsewhere, r.Found = nil, &Found{Broken: []string{"settles"}} }},
		{"its twin twin is not cleared", func(r *Row) { r.Cleared = false }},
	} {
		r := good
		c.change(&r)
		require.Equal(t, c.why, r.judge())
		r.Wrong = r.judge()
		m := Matrix{Rows: []Row{r}}
		require.Equal(t, map[bool]harness.Verdict{true: harness.Safe, false: harness.Unsafe}[c.why == ""], m.Verdict())
	}
	m := Matrix{Rows: []Row{good}, Twins: []Twin{{Executor: "twin", Convicted: []string{"control (unsafe)"}}}}
	require.Equal(t, harness.Unsafe, m.Verdict(), "a twin that is convicted is a deviation")
}
