package drilltest

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/fakes"
	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/reference"
	"github.com/retrydrill/drill/harness/worker"
	"github.com/retrydrill/drill/scenarios"
	"github.com/retrydrill/drill/targets"
)

// TestTheSameBytes: one schedule has one history, whatever happens in it, also while
// others are carried out beside it.
func TestTheSameBytes(t *testing.T) {
	p, err := targets.Builtin("stripe-v1")
	require.NoError(t, err)
	executors := map[string]worker.New{}
	for _, e := range reference.Executors {
		executors[e.Name] = e.New
	}
	w := Bubbles(t, fakes.Of(p), executors)
	o, _, err := Options{New: reference.Executors[0].New}.suite()
	require.NoError(t, err)
	for name := range executors {
		for _, lines := range [][]string{
			{"create#1 response close"},
			{"create#1 response delay past-lease", "deliver#2 at create#1 request"},
			{"deliver#1 times 3", "create#1.. target reject 500"},
			{"create#1 response kill", "create#2 request reset?", "deliver#2 after past-retention"},
			{"record#2 kill-after", "deliver#2 elsewhere"},
			{"deliver#1 times 2", "create#1 response hang"},
		} {
			t.Run(fmt.Sprint(name, lines), func(t *testing.T) {
				t.Parallel()
				var trial scenarios.Trial
				for _, l := range lines {
					f, err := harness.ParseFault(l)
					require.NoError(t, err)
					trial.Faults = append(trial.Faults, f)
				}
				s, err := o.Schedule(trial)
				require.NoError(t, err)
				s.Executor.Name = name
				first := written(t, w, s)
				for range 20 {
					require.Equal(t, first, written(t, w, s))
				}
			})
		}
	}
}

func written(t *testing.T, w harness.World, s harness.Schedule) string {
	h, err := w.Run(t.Context(), s)
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, h.Write(&b))
	return b.String()
}
