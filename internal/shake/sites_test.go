package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestShaken(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"statements", "package p\n\nfunc f() {\n\ta()\n\tb()\n}\n",
			"package p; import shakepoint \"" + pointPackage + "\"\n\nfunc f() {\n\tshakepoint.Here(7);a()\n\tshakepoint.Here(8);b()\n}\n"},
		{"none", "package p\n\nfunc f() {}\n", "package p\n\nfunc f() {}\n"},
		{"inner ones", "package p; func f() { if a { b() } else if c { d() } }",
			"package p; import shakepoint \"" + pointPackage + "\"; func f() { shakepoint.Here(7);if a { shakepoint.Here(8);b() } else if c { shakepoint.Here(9);d() } }"},
		{"cases", "package p; func f() { select { case <-a: b(); default: } }",
			"package p; import shakepoint \"" + pointPackage + "\"; func f() { shakepoint.Here(7);select { case <-a: shakepoint.Here(8);b(); default: } }"},
		{"a label", "package p; func f() { a: for { break a } }",
			"package p; import shakepoint \"" + pointPackage + "\"; func f() { shakepoint.Here(7);a: for { shakepoint.Here(8);break a } }"},
		{"a function in a value", "package p; var f = func() { a() }",
			"package p; import shakepoint \"" + pointPackage + "\"; var f = func() { shakepoint.Here(7);a() }"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, sites, err := shaken("p.go", []byte(c.src), 7)
			require.NoError(t, err)
			require.Equal(t, c.want, string(out))
			require.Len(t, sites, strings.Count(c.want, "shakepoint.Here"))
		})
	}
	_, _, err := shaken("p.go", []byte("nonsense"), 0)
	require.ErrorContains(t, err, "p.go:1:1")
}

// TestEachFileOfThisRepository still parses with its points, and has the lines it had.
func TestEachFileOfThisRepository(t *testing.T) {
	var files []string
	require.NoError(t, filepath.WalkDir("../..", func(path string, _ fs.DirEntry, err error) error {
		if filepath.Ext(path) == ".go" {
			files = append(files, path)
		}
		return err
	}))
	require.NotEmpty(t, files)
	for _, f := range files {
		src, err := os.ReadFile(f)
		require.NoError(t, err)
		out, sites, err := shaken(f, src, 0)
		require.NoError(t, err)
		_, err = parser.ParseFile(token.NewFileSet(), f, out, parser.SkipObjectResolution)
		require.NoError(t, err)
		was, is := strings.Split(string(src), "\n"), strings.Split(string(out), "\n")
		require.Len(t, is, len(was), f)
		for _, s := range sites {
			require.Contains(t, is[s.Line-1], "shakepoint.Here(", "%s", s)
		}
	}
}
