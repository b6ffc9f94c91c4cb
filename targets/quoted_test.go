package targets

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

func TestUnquoteKey(t *testing.T) {
	for in, want := range map[string]string{
		`"k"`: "k", ` "k" `: "k", `""`: "", `"a\"b"`: `a"b`, `"a\\b"`: `a\b`, `"8e03978e-40d5-43dd-bc93-6894a57f9324"`: "8e03978e-40d5-43dd-bc93-6894a57f9324",
	} {
		got, ok := UnquoteKey(in)
		assert.True(t, ok, in)
		assert.Equal(t, want, got, in)
	}
	for _, in := range []string{``, `k`, `"`, `"k`, `k"`, `"a"b"`, `"a\b"`, `"a\"`, `"a";p=1`, "\"a\tb\"", `"é"`, `:aGk=:`} {
		_, ok := UnquoteKey(in)
		assert.False(t, ok, in)
	}
}

func TestQuotedKeysReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.StringMatching(`[ -~]*`).Draw(t, "key")
		got, ok := UnquoteKey(QuoteKey(key))
		if !ok || got != key {
			t.Fatalf("%q is read as %q, %v", key, got, ok)
		}
	})
}

// FuzzUnquoteKey: what is accepted is the only spelling of its key, spaces aside.
func FuzzUnquoteKey(f *testing.F) {
	for _, s := range []string{`"k"`, `"a\"b"`, `"a\\b"`, `"`, `"\"`, ` "k"`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		key, ok := UnquoteKey(s)
		if !ok {
			return
		}
		again, ok := UnquoteKey(QuoteKey(key))
		assert.True(t, ok)
		assert.Equal(t, key, again)
	})
}
