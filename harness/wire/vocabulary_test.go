package wire_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/wire"
)

// later are the words that this world does not carry out yet; with those that it
// does they are the whole vocabulary.
var later = []string{
	"lease expire", "lease lose", "lease refuse", "lease late", "ack refuse",
}

func TestCarriersAreTheVocabulary(t *testing.T) {
	var words []string
	for _, k := range harness.Vocabulary {
		words = append(words, k.Key())
	}
	require.ElementsMatch(t, words, append(wire.Carried(), later...))
}
