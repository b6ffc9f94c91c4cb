package harness_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/retrydrill/drill/harness"
)

func TestArgumentsRefuse(t *testing.T) {
	for _, in := range []string{`{"a":1.5}`, `{"a":9007199254740993}`, `{"a":1e400}`, `{"a":null}`, `{"a":{"b":[1,0.1]}}`, `[]`, `{"a":1e2}`} {
		var a harness.Arguments
		require.Error(t, json.Unmarshal([]byte(in), &a), in)
	}
}

// TestDigestIsOfTheValues: spelling, order and Go's number types do not show.
func TestDigestIsOfTheValues(t *testing.T) {
	var a harness.Arguments
	require.NoError(t, json.Unmarshal([]byte(`{"b": true, "\u0061": 1099, "l": ["x", 2]}`), &a))
	b := harness.Arguments{"a": 1099, "b": true, "l": []any{"x", 2.0}}
	require.Equal(t, `{"a":1099,"b":true,"l":["x",2]}`, string(must(a.Canonical())))
	require.Equal(t, a.Digest(), b.Digest())
	// The digest of the canonical form, as sha256sum prints it.
	require.Equal(t, "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a", harness.Arguments{}.Digest())
}

func must(b []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return b
}

func TestSetChangesOneValue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := harness.Arguments{"n": int64(1), "in": map[string]any{"list": []any{"p", "q"}, "a/b": "c"}}
		before := a.Digest()
		ptr := rapid.SampledFrom([]string{"/n", "/in/list/1", "/in/a~1b", "/new"}).Draw(t, "pointer")
		v := rapid.Int64Range(2, 1<<52).Draw(t, "value")
		b, err := a.Set(ptr, v)
		require.NoError(t, err)
		require.NotEqual(t, before, b.Digest())
		require.Equal(t, before, a.Digest(), "the first stays as it was")
	})
	for _, ptr := range []string{"n", "/in/list/9", "/n/x", "/none/x"} {
		_, err := harness.Arguments{"n": int64(1), "in": map[string]any{"list": []any{}}}.Set(ptr, "v")
		require.Error(t, err, ptr)
	}
}

func TestApprovalCovers(t *testing.T) {
	now := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	good := harness.Approval{ID: "p", ArgumentsSHA256: "d", PolicyVersion: "1", Status: harness.Granted, ValidUntil: "2030-01-02T00:00:00Z"}
	require.True(t, good.Covers("d", "1", now))
	for name, change := range map[string]func(*harness.Approval){
		"denied":  func(a *harness.Approval) { a.Status = harness.Denied },
		"digest":  func(a *harness.Approval) { a.ArgumentsSHA256 = "e" },
		"policy":  func(a *harness.Approval) { a.PolicyVersion = "0" },
		"expired": func(a *harness.Approval) { a.ValidUntil = "2030-01-01T00:00:00Z" },
		"garbled": func(a *harness.Approval) { a.ValidUntil = "soon" },
	} {
		b := good
		change(&b)
		require.False(t, b.Covers("d", "1", now), name)
	}
}

func TestClassify(t *testing.T) {
	p := harness.Promises{Errors: []harness.ErrorClass{{Status: 409, Code: "in_use", Class: harness.Unknown}, {Status: 402, Class: harness.RejectedPermanent}}}
	require.Equal(t, harness.Confirmed, p.Classify(201, ""))
	require.Equal(t, harness.RejectedPermanent, p.Classify(402, "card_declined"))
	require.Equal(t, harness.Unknown, p.Classify(500, ""))
	require.Equal(t, harness.Unknown, p.Classify(408, ""))
	require.Equal(t, harness.Unknown, p.ClassOf(402, &harness.Answered{Opaque: true}), "a page tells nothing")
}
