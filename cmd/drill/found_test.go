package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/check"
)

// found are schedules of several lines in which a search once broke the reference
// executor, each named for what was wrong.
var found = []struct {
	was, target, lines string
	settings           harness.Settings
}{
	{"it left a key that may not be forgotten yet for the next one", "stripe-v1",
		"create#1 target reject 400; deliver#2 re-approve; create#2 response cancel", harness.Settings{ForgetKey: true}},
	{"it acted on a proof of absence from before it stood still", "stripe-v1",
		"find#1 response pause past-lease; deliver#2 brings B; create#1..3 request delay 360ms", harness.Settings{ForgetKey: true}},
	{"a record that an earlier life began was taken for one of which nothing came", "stripe-v1",
		"record#2 lose; create#1 target restart; deliver#2 respell", harness.Settings{}},
	{"the same, on another machine", "stripe-v1", "create#1 target restart; deliver#2 elsewhere; record#5 kill-before", harness.Settings{}},
	{"a check did not know of a refusal under the first ID", "stripe-v1", "create#1 target reject 400; deliver#2 new-action; create#1 response kill", harness.Settings{}},
	{"a check did not know of a refusal under an ID minted beside", "stripe-v1",
		"deliver#1 times 2; create#1..2 target reject 400; deliver#2 new-action; create#1 request cancel", harness.Settings{}},
	{"a check took a refusal for that of the older approval alone, which another worker still had", "stripe-v1",
		"deliver#1 times 2; create#1..2 request kill; create#3 target reject 400; deliver#3 re-approve", harness.Settings{}},
	{"the same, the other way round", "stripe-v1",
		"create#1 target reject 400; find#1 response pause past-lease; record#1 kill-after; deliver#4 re-approve", harness.Settings{}},
	{"a refusal that nobody heard was taken for the answer to the new approval", "stripe-v1",
		"create#1 target reject 400; deliver#2 re-approve; create#1 response kill", harness.Settings{ForgetKey: true}},
	{"a check took another action's object for one that keeps a key from being new", "stripe-v1",
		"create#4 request close; create#2..4 request cancel; deliver#1 brings A, B", harness.Settings{ForgetKey: true}},
	{"it left a key for the next one by the age of a request that never left", "stripe-v1",
		"record#2 kill-after; deliver#2 re-approve; create#1 request kill", harness.Settings{ForgetKey: true}},
	{"an older approval led on from what was refused under a newer one, since its worker came to the record later", "stripe-v1",
		"deliver#2 at create#1 target; create#2 target reject 400; deliver#1 brings A, B; deliver#2 re-approve", harness.Settings{}},
	{"a check did not go by another worker's record where one's own look-up had shown that nothing was done", "stripe-v1",
		"deliver#1 times 2; create#1 request close; record#4 fail; create#2 target reject 400", harness.Settings{ForgetKey: true}},
}

// TestWhatSearchFound: what a search once broke holds.
func TestWhatSearchFound(t *testing.T) {
	for _, f := range found {
		t.Run(f.was, func(t *testing.T) {
			o := searching(t, defaultExecutor, f.target, 1, 2)
			s := o.Schedule
			s.Settings = f.settings
			for line := range strings.SplitSeq(f.lines, "; ") {
				x, err := harness.ParseFault(line)
				require.NoError(t, err)
				s.Faults = append(s.Faults, x)
			}
			require.NoError(t, s.Validate())
			h, err := o.World.Run(t.Context(), s)
			require.NoError(t, err)
			j := check.Judge(h)
			require.Empty(t, j.Violations)
			require.Equal(t, harness.Safe, j.Verdict, j.Reason)
		})
	}
}
