package drilltest_test

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// TestMain looks for goroutines that a drill leaves behind, in its bubbles or beside
// them.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// tested runs the body of a test for an example, and prints ok where it passed.
func tested(f func(*testing.T)) {
	// What a test says with -v would be the example's output.
	defer set("test.v", "false")()
	// A few checks do for an example.
	defer set("rapid.checks", "5")()
	defer set("rapid.seed", "1")()
	all := func(string, string) (bool, error) { return true, nil }
	if testing.RunTests(all, []testing.InternalTest{{Name: "TestOfAnExample", F: f}}) {
		fmt.Println("ok")
	}
}

// set sets a flag until the function that it returns is called.
func set(name, value string) (back func()) {
	v := flag.Lookup(name).Value
	before := v.String()
	if err := v.Set(value); err != nil {
		panic(err)
	}
	return func() { _ = v.Set(before) }
}

// TestTheReadmeShowsAnExample: the first block of the README's part on go test is what
// an example here runs.
func TestTheReadmeShowsAnExample(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	_, part, ok := strings.Cut(string(readme), "\n## From go test\n")
	require.True(t, ok)
	block := regexp.MustCompile("(?s)```go\n(.*?)```").FindStringSubmatch(part)
	require.NotNil(t, block)
	call := regexp.MustCompile(`drilltest\.Run\(t, drilltest\.Options\{Target: "[^"]+", New: `).FindString(block[1])
	require.NotEmpty(t, call, block[1])
	example, err := os.ReadFile("example_test.go")
	require.NoError(t, err)
	require.Contains(t, string(example), call)
	doc, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	for line := range strings.Lines(block[1]) {
		require.Contains(t, string(doc), strings.TrimSpace(line), "and the package's comment shows the same")
	}
	page, err := os.ReadFile("../../docs/go-test.md")
	require.NoError(t, err)
	require.Contains(t, string(page), block[1])
}
