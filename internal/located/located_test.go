package located_test

import (
	"errors"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/internal/located"
)

type sample struct {
	Name  string            `yaml:"name"`
	Count int               `yaml:"count"`
	List  []string          `yaml:"list"`
	Deep  map[string]sample `yaml:"deep"`
}

func TestDecodeRefuses(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"unknown key", "name: a\nfoo: 1\n", "f.yaml:2:1: unknown field \"foo\"\n    2 | foo: 1\n      | ^"},
		{"wrong type", "count: many\n", "f.yaml:1:8:"},
		{"doubled key", "name: a\nname: b\n", "f.yaml:2:1:"},
		{"broken", "name: [a\n", "f.yaml:1:"},
		{"no text", "name: a\ncount: \x1b[2J\n", "f.yaml:2:8: this is no text: a byte 0x1b stands here"},
		{"an archive", "PK\x03\x04\x00", "f.yaml:1:3: this is no text: a byte 0x03 stands here"},
		{"empty", "", "f.yaml:1:1: the file is empty"},
		{"only a comment", "# nothing\n", "f.yaml:1:1: the file is empty"},
		{"two documents", "name: a\n---\nname: b\n", "f.yaml:2:1: a second document"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var s sample
			_, err := located.Decode("f.yaml", []byte(c.in), &s)
			var le *located.Error
			require.ErrorAs(t, err, &le)
			require.Contains(t, err.Error(), c.want)
		})
	}
}

func TestErrorfPlaces(t *testing.T) {
	in := "name: a\nlist:\n  - one\n  - two\ndeep:\n  \"/x\":\n    name: b\n  y: {count: 3}\n"
	var s sample
	f, err := located.Decode("f.yaml", []byte(in), &s)
	require.NoError(t, err)
	for _, c := range []struct {
		name         string
		path         []any
		line, column int
	}{
		{"scalar", []any{"name"}, 1, 7},
		{"list entry", []any{"list", 1}, 4, 5},
		{"quoted key", []any{"deep", "/x", "name"}, 7, 11},
		{"flow", []any{"deep", "y", "count"}, 8, 14},
		{"ends early", []any{"deep", "y", "nothing"}, 8, 7},
		{"root", nil, 1, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := f.Errorf(c.path, "no: %w", fs.ErrNotExist)
			var le *located.Error
			require.ErrorAs(t, err, &le)
			require.Equal(t, [2]int{c.line, c.column}, [2]int{le.Line, le.Column})
			require.True(t, errors.Is(err, fs.ErrNotExist))
			require.Equal(t, "no: file does not exist", le.Reason)
		})
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte("name: a\nlist: [b, c]\n"))
	f.Add([]byte("deep:\n  x: {count: 1}\n---\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		var s sample
		file, err := located.Decode("f.yaml", b, &s)
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		require.NotEmpty(t, file.Errorf([]any{"deep", "x", 0, "count"}, "no").Error())
	})
}
