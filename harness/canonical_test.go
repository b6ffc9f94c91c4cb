package harness_test

import (
	"encoding/json"
	"testing"

	"github.com/gowebpki/jcs"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/retrydrill/drill/harness"
)

// drawValue draws a value that arguments may hold.
func drawValue(t *rapid.T, depth int) any {
	kinds := 3
	if depth > 0 {
		kinds = 5
	}
	switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
	case 0:
		return rapid.String().Draw(t, "string")
	case 1:
		return rapid.Bool().Draw(t, "bool")
	case 2:
		return rapid.Int64Range(-(1<<53-1), 1<<53-1).Draw(t, "integer")
	case 3:
		out := []any{}
		for range rapid.IntRange(0, 3).Draw(t, "items") {
			out = append(out, drawValue(t, depth-1))
		}
		return out
	}
	return drawObject(t, depth-1)
}

func drawObject(t *rapid.T, depth int) map[string]any {
	out := map[string]any{}
	for range rapid.IntRange(0, 12).Draw(t, "members") {
		out[rapid.String().Draw(t, "name")] = drawValue(t, depth)
	}
	return out
}

// TestCanonicalIsRFC8785 holds our writer against an implementation that is not ours.
func TestCanonicalIsRFC8785(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := drawObject(t, 2)
		raw, err := json.Marshal(o)
		require.NoError(t, err)
		want, err := jcs.Transform(raw)
		require.NoError(t, err)
		got, err := harness.Arguments(o).Canonical()
		require.NoError(t, err)
		require.Equal(t, string(want), string(got))
	})
}

// TestCanonicalSortsAsUTF16: a character outside the basic plane comes before the
// last ones of it (RFC 8785 section 3.2.3).
func TestCanonicalSortsAsUTF16(t *testing.T) {
	b, err := harness.Arguments{"\ufb33": int64(1), "\U0001f600": int64(2), "a": int64(3)}.Canonical()
	require.NoError(t, err)
	require.Equal(t, "{\"a\":3,\"\U0001f600\":2,\"\ufb33\":1}", string(b))
}

func TestCanonicalRefuses(t *testing.T) {
	for _, a := range []harness.Arguments{{"a": 1.5}, {"a": int64(1 << 53)}, {"a": []any{nil}}, {"\xff": true}} {
		_, err := a.Canonical()
		require.ErrorIs(t, err, harness.ErrArguments)
	}
}
