package worker

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/retrydrill/drill/harness"
)

func TestParseReport(t *testing.T) {
	for _, c := range []struct {
		line string
		ok   bool
		err  bool
	}{
		{`{"action_id":"a","outcome":"done","resource_id":"r"}`, true, false},
		{` {"outcome":"waiting","action_id":"a","waits_for":"worker","more":1} `, true, false},
		{`hello`, false, false},
		{``, false, false},
		{`{"level":"info","msg":"x"}`, false, false},
		{`{"action_id":"a"}`, false, false},
		{`{"action_id":"a","outcome":"done"`, false, false},
		{`[{"action_id":"a","outcome":"done"}]`, false, false},
		{`{"action_id":"a","outcome":"fine"}`, false, true},
		{`{"action_id":"","outcome":"done"}`, false, true},
		{`{"action_id":5,"outcome":"done"}`, false, true},
	} {
		_, ok, err := ParseReport([]byte(c.line))
		require.Equal(t, c.ok, ok, c.line)
		require.Equal(t, c.err, err != nil, c.line)
		if err != nil {
			require.ErrorIs(t, err, ErrReport)
		}
	}
}

// TestLinesDoNotDependOnChunks: however the bytes arrive, the lines are the same,
// and every byte is counted.
func TestLinesDoNotDependOnChunks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOf(rapid.StringMatching(`[a-z]{0,20}`)).Draw(t, "lines")
		text := strings.Join(parts, "\n")
		want := strings.Split(text, "\n")
		if want[len(want)-1] == "" {
			want = want[:len(want)-1]
		}
		var r io.Reader = strings.NewReader(text)
		if rapid.Bool().Draw(t, "bytewise") {
			r = iotest.OneByteReader(r)
		}
		got := []string{}
		n := readLines(r, func(line []byte, whole bool) {
			require.True(t, whole)
			got = append(got, string(line))
		})
		require.Equal(t, int64(len(text)), n)
		require.Equal(t, want, got)
	})
}

// TestLongLinesAreCut: a line beyond the bound is cut, told not to be whole, and
// the next one is read as ever.
func TestLongLinesAreCut(t *testing.T) {
	text := strings.Repeat("x", 3*maxLine) + "\nnext\n"
	type line struct {
		n     int
		whole bool
	}
	var got []line
	n := readLines(strings.NewReader(text), func(l []byte, whole bool) { got = append(got, line{len(l), whole}) })
	require.Equal(t, int64(len(text)), n)
	require.Equal(t, []line{{maxLine, false}, {4, true}}, got)
}

func FuzzParseReport(f *testing.F) {
	f.Add([]byte(`{"action_id":"a","outcome":"done"}`))
	f.Add([]byte(`{"action_id":"a","outcome":1}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		r, ok, err := ParseReport(in)
		require.False(t, ok && err != nil)
		if ok {
			require.NotEmpty(t, r.ActionID)
			require.Contains(t, harness.Outcomes, r.Outcome)
		}
		readLines(bytes.NewReader(in), func([]byte, bool) {})
	})
}

func FuzzDecodeJob(f *testing.F) {
	f.Add([]byte(`{"protocol":1,"deliver":"actions","delivery":1,"trigger_key":"t","actions":[{"action_id":"a","arguments":{"n":1}}]}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		j, err := DecodeJob(in)
		if err != nil {
			return
		}
		for _, a := range j.Actions {
			if a.Arguments != nil {
				require.NotEmpty(t, a.Arguments.Digest())
			}
		}
	})
}
