package drilltest

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/check"
	"github.com/retrydrill/drill/harness/report"
	"github.com/retrydrill/drill/harness/suite"
	"github.com/retrydrill/drill/scenarios"
)

// fail tells what broke: first that, then the command that repeats it, then the story,
// what the broken rules mean, and which abilities the trial took for given that nobody
// declared.
func fail(t *testing.T, w harness.World, tr report.Trial, needs ...string) {
	t.Helper()
	var b strings.Builder
	v := tr.Violations[0]
	fmt.Fprintf(&b, "unsafe: %s: expected %s, observed %s\nagain: %s\n", v.Invariant, v.Expected, v.Observed, command(t))
	report.Text{W: &b}.Unsafe(tr)
	explain(&b, tr.Violations)
	if tr.History != nil {
		assumed(&b, tr.History.Schedule, needs)
	}
	if w, is := w.(twice); is && tr.History != nil {
		if how := w.differs(context.Background(), tr.History); how != "" {
			fmt.Fprintf(&b, "       %s%s\n", notReproducible, how)
		}
	}
	t.Error(strings.TrimRight(b.String(), "\n"))
}

// unjudged tells of a trial without a verdict, and what happened in it.
func unjudged(t *testing.T, tr report.Trial) {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "%s could not be judged: %s\nagain: %s\n", tr.ID, tr.Reason, command(t))
	b.WriteString(advice(tr.Reason))
	report.Text{W: &b}.Unsafe(tr)
	t.Error(strings.TrimRight(b.String(), "\n"))
}

// advice says what an executor can do about a reason why it could not be judged, in lines
// of their own, where that is known.
func advice(reason string) (lines string) {
	if strings.Contains(reason, "a bound was hit: deliveries") {
		lines = "no delivery was acknowledged: one that can not go on reports the outcome needs_review, and then is\n"
	}
	if strings.Contains(reason, "could not be put to an action") {
		lines += "whose a request is, its key or the profile's reference tells, where the action ID stands in it\n"
	}
	return lines
}

// refusal tells of an executor that can not be judged. Under virtual time a client of its
// own may be why: what dials by itself reaches no target there.
func (h harnessed) refusal(err error) string {
	var c *suite.ControlError
	if h.virtual && errors.As(err, &c) && strings.Contains(c.Reason, "no request reached the target") && !errors.Is(err, ErrStands) {
		return fmt.Sprintf("drill: %v\n  under virtual time a real socket reaches nothing: use Env.Client(), or Env.Dial in a transport of your own, or set Options.Wire", err)
	}
	return fmt.Sprintf("drill: %v", err)
}

// explain says what each broken rule forbids.
func explain(b *strings.Builder, broken []harness.Violation) {
	said := map[string]bool{}
	for _, v := range broken {
		if i, ok := check.Find(v.Invariant); ok && !said[i.ID] {
			said[i.ID] = true
			fmt.Fprintf(b, "         rule %s: %s\n", i.ID, i.Doc)
		}
	}
}

// assumed names what the executor was taken to do, where that is to be declared if it
// is not so: those of the needs, and of the needs of the schedule's lines, that are
// abilities.
func assumed(b *strings.Builder, s harness.Schedule, needs []string) {
	for _, f := range s.Faults {
		needs = append(needs, scenarios.NeedsOf(f)...)
	}
	for _, name := range scenarios.Abilities {
		if _, declared := s.Executor.Abilities[name]; declared || !slices.Contains(needs, name) {
			continue
		}
		need, _ := scenarios.NeedNamed(name)
		fmt.Fprintf(b, "         assumed: %s. If yours is not meant to: Options{Abilities: map[string]bool{%q: false}}\n", need.Doc, name)
	}
}

// command repeats this test alone, from anywhere in its module.
func command(t *testing.T) string {
	return fmt.Sprintf("go test %s-run '%s' -drill.seed=%d", tested(), pattern(t.Name()), *seed)
}

// tested is the package of this test binary, with a space behind it. It is empty where
// files were tested, or something else than the go command built the binary.
var tested = sync.OnceValue(func() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	path, is := strings.CutSuffix(info.Path, ".test")
	if !is || path == "command-line-arguments" {
		return ""
	}
	return path + " "
})

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
