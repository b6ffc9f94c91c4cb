package tap

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// given is a body that is there whole.
type given struct {
	*strings.Reader
	b []byte
}

func (g given) Whole() []byte { return g.b }

// TestAnEmptyBodyIsKnown: a body that holds nothing is not one of which nothing is known,
// or other arguments would pass for those that were not read.
func TestAnEmptyBodyIsKnown(t *testing.T) {
	for _, b := range [][]byte{nil, {}, []byte("a")} {
		got, err := wholeOf(given{strings.NewReader(""), b})
		require.NoError(t, err)
		require.NotNil(t, got)
		require.Len(t, got, len(b))
	}
	got, err := wholeOf(strings.NewReader(""))
	require.NoError(t, err)
	require.NotNil(t, got)
}

// TestATargetReadsABodyOneWay: what a target gets is read as any body is, or taken whole,
// and then it is at its end.
func TestATargetReadsABodyOneWay(t *testing.T) {
	var b whole
	b.begin([]byte("ab"))
	got, err := io.ReadAll(&b)
	require.NoError(t, err)
	require.Equal(t, "ab", string(got))
	b.begin([]byte("cd"))
	require.Equal(t, "cd", string(b.Whole()))
	got, err = io.ReadAll(&b)
	require.NoError(t, err)
	require.Empty(t, got)
}
