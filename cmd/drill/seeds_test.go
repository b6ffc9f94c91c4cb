package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness/sim"
)

// TestSeedsAreRepeated: a thousand seeds, each drawn and carried out twice, in two worlds
// that know nothing of each other: the histories are the same, byte by byte.
func TestSeedsAreRepeated(t *testing.T) {
	const seeds = 1000
	names := []string{"stripe-v1", "payments", "orders", "dns-http", "no-key-no-lookup"}
	profiles, plans := drawable(t, names...)
	twins := [2]*sim.World{simOf(t, profiles), simOf(t, profiles)}
	same := 0
	for seed := range seeds {
		var told [2]bytes.Buffer
		for i, w := range twins {
			s := plans[seed%len(plans)].Example(seed)
			s.Seed = uint64(seed)
			h, err := w.Run(t.Context(), s)
			require.NoError(t, err, "seed %d", seed)
			require.NoError(t, h.Write(&told[i]))
		}
		if told[0].String() == told[1].String() {
			same++
		}
	}
	require.Equal(t, seeds, same)
	t.Logf("%d of %d repeated seeds gave byte-identical histories", same, seeds)
}
