package receipttest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/retrydrill/drill/harness/receipt"
	"github.com/stretchr/testify/require"
)

// TestWitness: each thing that must not be is seen, and what may be is not.
func TestWitness(t *testing.T) {
	for name, c := range map[string]struct {
		lines []string
		state receipt.State
		want  string
	}{
		"all well":             {[]string{"claim a0 1 0 approved 10 20", "write a0 1 1 sent 11 21", "claim a0 2 1 sent 21 31", "write a0 2 2 confirmed 25 0"}, receipt.Confirmed, ""},
		"given back early":     {[]string{"claim a0 1 0 approved 10 20", "write a0 1 1 sent 11 0", "claim a0 2 1 sent 12 31"}, receipt.Confirmed, ""},
		"perhaps given back":   {[]string{"claim a0 1 0 approved 10 20", "gives a0 1 1 sent 11 0", "claim a0 2 1 sent 12 31"}, receipt.Confirmed, ""},
		"half a line":          {[]string{"claim a0 1 0 approved 10 20", "claim a0 99 0 app"}, receipt.Confirmed, ""},
		"one fence twice":      {[]string{"claim a0 1 0 approved 10 20", "claim a0 1 0 approved 30 40"}, receipt.Confirmed, "given twice"},
		"a live lease taken":   {[]string{"claim a0 1 0 approved 10 20", "claim a0 2 0 approved 19 29"}, receipt.Confirmed, "before the lease"},
		"a renewed one taken":  {[]string{"claim a0 1 0 approved 10 20", "write a0 1 1 sent 15 25", "claim a0 2 0 approved 21 31"}, receipt.Confirmed, "before the lease"},
		"an attempt twice":     {[]string{"write a0 1 1 sent 10 20", "write a0 1 1 sent 11 21"}, receipt.Confirmed, "written twice"},
		"a late one overwrote": {[]string{"write a0 2 1 sent 10 20", "write a0 1 2 sent 11 21"}, receipt.Confirmed, "after attempt 1 under fence 2"},
		"a lost write":         {[]string{"write a0 2 3 confirmed 10 0"}, receipt.Confirmed, "was acknowledged"},
		"a lost claim":         {[]string{"claim a0 3 1 sent 10 20"}, receipt.Confirmed, "was acknowledged"},
		"not at its end":       {nil, receipt.Sent, "expected confirmed"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWitness()
			for _, l := range c.lines {
				w.note(l)
			}
			s := receipt.NewMemory()
			r := receipt.Receipt{ActionID: "a0", State: c.state, Fence: 2, Attempt: 2, RequestID: "2/2"}
			s.Keep(r)
			w.compare(t.Context(), s, 1)
			all := strings.Join(w.violations, "\n")
			if c.want == "" {
				require.Empty(t, all)
				return
			}
			require.Contains(t, all, c.want)
		})
	}
	w := newWitness()
	w.compare(t.Context(), receipt.NewMemory(), 1)
	require.Contains(t, fmt.Sprint(w.violations), "no such receipt", "a lost receipt")
}
