package splitmix

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// known are the first numbers of the seed 1234567, as published (Rosetta Code, task
// Pseudo-random numbers/Splitmix64).
var known = []uint64{6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821}

func TestKnownNumbers(t *testing.T) {
	const seed = 1234567
	state := uint64(seed)
	for i, want := range known {
		require.Equal(t, want, Next(&state))
		require.Equal(t, want, At(seed, uint64(i)+1))
	}
}
