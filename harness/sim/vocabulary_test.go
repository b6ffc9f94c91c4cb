package sim_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/sim"
)

// notInSim are the words that this world does not carry out; with those that it does
// they are the whole vocabulary.
var notInSim = []string{
	"lease expire", "lease lose", "lease refuse", "lease late", "ack refuse",
}

func TestCarriersAreTheVocabulary(t *testing.T) {
	var words []string
	for _, k := range harness.Vocabulary {
		words = append(words, k.Key())
	}
	require.ElementsMatch(t, words, append(sim.Carried(), notInSim...))
}
