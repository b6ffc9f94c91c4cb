package drilltest

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/report"
)

// fail tells what broke: first that, then the command that repeats it, then the story.
func fail(t *testing.T, w harness.World, tr report.Trial) {
	t.Helper()
	var b strings.Builder
	v := tr.Violations[0]
	fmt.Fprintf(&b, "unsafe: %s: expected %s, observed %s\nagain: %s\n", v.Invariant, v.Expected, v.Observed, command(t))
	report.Text{W: &b}.Unsafe(tr)
	if w, is := w.(twice); is && tr.History != nil {
		if how := w.differs(context.Background(), tr.History); how != "" {
			fmt.Fprintf(&b, "       %s%s\n", notReproducible, how)
		}
	}
	t.Error(strings.TrimRight(b.String(), "\n"))
}

// command repeats this test alone.
func command(t *testing.T) string {
	return fmt.Sprintf("go test -run '%s' -drill.seed=%d", pattern(t.Name()), *seed)
}

// pattern is what -run needs to find one test.
func pattern(name string) string {
	parts := strings.Split(name, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	return strings.Join(parts, "/")
}

// rooted is the test function that a test or subtest stands in.
func rooted(t *testing.T) string {
	name, _, _ := strings.Cut(t.Name(), "/")
	return regexp.QuoteMeta(name)
}
