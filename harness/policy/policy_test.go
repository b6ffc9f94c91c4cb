package policy_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/policy"
	"github.com/retrydrill/drill/internal/located"
)

// full is the document of the design, with everything else that one may say.
const full = `
retry_policy:
  never_dispatched: automatic_same_action_id
  rejected_transient: bounded_same_action_id
  rejected_permanent: stop_for_new_input_or_approval
  confirmed: return_stored_receipt
  outcome_unknown: reconcile_then_decide
limits:
  max_attempts: 4
  per_class: {rejected_transient: 2}
  time_budget: 20s
  retry_after: honour
  backoff: {initial: 100ms, factor: 3, max: 2s, jitter: equal}
stricter:
  - {without_answer: tls, class: outcome_unknown}
  - {status: 429, class: rejected_permanent}
`

func TestParse(t *testing.T) {
	p, err := policy.Parse("policy.yaml", []byte(full))
	require.NoError(t, err)
	require.Equal(t, policy.Default().Moves, p.Moves)
	require.Equal(t, policy.Limits{Attempts: 4, PerClass: map[harness.Class]int{harness.RejectedTransient: 2}, Budget: 20 * time.Second,
		Backoff: policy.Backoff{Initial: 100 * time.Millisecond, Factor: 3, Max: 2 * time.Second, Jitter: policy.Equal}}, p.Limits)
	require.Equal(t, harness.Unknown, p.WithoutAnswer("tls"))
	require.Equal(t, harness.NeverDispatched, p.WithoutAnswer("dns"))
	require.Equal(t, harness.Unknown, p.WithoutAnswer("something else"))
	line, column := p.Place("limits", "time_budget")
	require.Equal(t, [2]int{11, 16}, [2]int{line, column})
}

func TestWhatIsLeftOutKeepsItsDefault(t *testing.T) {
	p, err := policy.Parse("policy.yaml", []byte("retry_policy: {outcome_unknown: needs_review}\n"))
	require.NoError(t, err)
	want := policy.Default()
	require.Equal(t, want.Limits, p.Limits)
	require.Equal(t, policy.Review, p.Moves[harness.Unknown])
	require.Equal(t, policy.Bounded, p.Moves[harness.RejectedTransient])
}

func TestParseRefuses(t *testing.T) {
	for _, c := range []struct {
		name, in     string
		line, column int
		reason       string
	}{
		{"unknown class", "retry_policy:\n  rejected: needs_review\n", 2, 13, `no class "rejected"`},
		{"unknown move", "retry_policy:\n  confirmed: again\n", 2, 14, `no move "again"`},
		{"unknown key", "limits:\n  max_atempts: 3\n", 2, 3, `unknown key "max_atempts": expected one of backoff`},
		{"unknown key at the root", "limits: {}\nretries: 3\n", 2, 1, `unknown key "retries": expected one of allow`},
		{"another type", "limits: {max_attempts: three}\n", 1, 24, `max_attempts is "three": expected a whole number`},
		{"negative attempts", "limits: {max_attempts: -1}\n", 1, 24, "expected 0 to 1000"},
		{"negative budget", "limits: {time_budget: -3s}\n", 1, 23, "not negative"},
		{"endless budget", "limits: {time_budget: 99999h}\n", 1, 23, "at most"},
		{"negative back-off", "limits: {backoff: {initial: -1ms}}\n", 1, 29, "not negative"},
		{"factor", "limits: {backoff: {factor: 0.5}}\n", 1, 28, "expected 1 to 100"},
		{"no number", "limits: {backoff: {factor: .nan}}\n", 1, 28, "expected 1 to 100"},
		{"jitter", "limits: {backoff: {jitter: some}}\n", 1, 28, `no jitter "some"`},
		{"max below initial", "limits: {backoff: {initial: 2s, max: 1s}}\n", 1, 38, "less than initial"},
		{"retry after", "limits: {retry_after: maybe}\n", 1, 23, "honour or ignore"},
		{"per class", "limits: {per_class: {unknown: 3}}\n", 1, 31, `no class "unknown"`},
		{"per class zero", "limits: {per_class: {outcome_unknown: 0}}\n", 1, 39, "expected 1 to"},
		{"laxer", "stricter:\n  - {without_answer: timeout, class: never_dispatched}\n", 2, 38, "may only make a class stricter"},
		{"guess", "stricter: [{without_answer: timeout, class: rejected_permanent}]\n", 1, 45, "may only make a class stricter"},
		{"mishap", "stricter: [{without_answer: flood, class: outcome_unknown}]\n", 1, 29, `no mishap "flood"`},
		{"status", "stricter: [{status: 99, class: outcome_unknown}]\n", 1, 21, "expected 200 to 599"},
		{"both", "stricter: [{without_answer: dns, status: 500, class: outcome_unknown}]\n", 1, 29, "there was no answer"},
		{"no class", "stricter: [{status: 429}]\n", 1, 13, "class is missing"},
		{"doubled", "limits: {}\nlimits: {}\n", 2, 1, ""},
		{"a cycle", "limits: &a\n  per_class: *a\n", 0, 0, ""},
		{"empty", "", 1, 1, "empty"},
		{"nothing", "{}\n", 1, 1, "says nothing"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := policy.Parse("policy.yaml", []byte(c.in))
			var le *located.Error
			require.ErrorAs(t, err, &le)
			require.Contains(t, le.Reason, c.reason)
			if c.line > 0 {
				require.Equal(t, [2]int{c.line, c.column}, [2]int{le.Line, le.Column}, err.Error())
			}
		})
	}
}

// Every mistake of form is told at once, each with its place.
func TestParseTellsAllMistakesOfForm(t *testing.T) {
	_, err := policy.Parse("policy.yaml", []byte("limits:\n  max_atempts: 3\n  max_attempts: three\nretries: 3\n"))
	for _, want := range []string{`policy.yaml:2:3: unknown key "max_atempts"`, `policy.yaml:3:17: max_attempts is "three"`, `policy.yaml:4:1: unknown key "retries"`} {
		require.ErrorContains(t, err, want)
	}
}

func TestSchemaKnowsWhatTheCodeKnows(t *testing.T) {
	var s struct {
		Defs map[string]struct {
			Enum []string `json:"enum"`
		} `json:"$defs"`
		Properties struct {
			RetryPolicy struct {
				Properties map[string]any `json:"properties"`
			} `json:"retry_policy"`
		} `json:"properties"`
	}
	require.NoError(t, json.Unmarshal(policy.Schema, &s))
	var classes, moves, mishaps, jitters []string
	for _, c := range harness.Classes {
		classes = append(classes, policy.Key(c))
		require.Contains(t, s.Properties.RetryPolicy.Properties, policy.Key(c))
	}
	for _, m := range policy.Moves {
		moves = append(moves, string(m))
	}
	for _, m := range policy.Mishaps {
		mishaps = append(mishaps, m.ID)
	}
	for _, j := range policy.Jitters {
		jitters = append(jitters, string(j))
	}
	require.Equal(t, classes, s.Defs["class"].Enum)
	require.Equal(t, moves, s.Defs["move"].Enum)
	require.Equal(t, mishaps, s.Defs["mishap"].Enum)
	require.Equal(t, jitters, s.Defs["jitter"].Enum)
}

func TestMishapsAreExplained(t *testing.T) {
	for _, m := range policy.Mishaps {
		require.NotEmpty(t, m.Doc)
		require.Contains(t, m.Source, "https://")
		require.Contains(t, []harness.Class{harness.NeverDispatched, harness.Unknown}, m.Class)
	}
}

// TestNeverLaxer: whatever a policy overrides, the class of an answer is the
// profile's or a stricter one.
func TestNeverLaxer(t *testing.T) {
	class := rapid.SampledFrom(harness.Classes)
	rapid.Check(t, func(t *rapid.T) {
		p := policy.Default()
		status := rapid.IntRange(200, 599).Draw(t, "status")
		code := rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "code")
		promises := harness.Promises{Errors: []harness.ErrorClass{{Status: status, Class: class.Draw(t, "profile")}}}
		p.Overrides = []policy.Override{{Status: status, Code: code, Class: class.Draw(t, "override")},
			{Mishap: "refused", Class: class.Draw(t, "mishap")}}
		a := harness.Answered{Code: rapid.SampledFrom([]string{"", "a"}).Draw(t, "answered"), Opaque: rapid.Bool().Draw(t, "opaque")}
		if from, to := promises.ClassOf(status, &a), p.OfAnswer(promises, status, a); !policy.Stricter(from, to) {
			t.Fatalf("%s became %s", from, to)
		}
		if to := p.WithoutAnswer("refused"); !policy.Stricter(harness.NeverDispatched, to) {
			t.Fatalf("refused became %s", to)
		}
	})
}

// TestStricterIsAnOrder: reflexive, transitive, without a cycle.
func TestStricterIsAnOrder(t *testing.T) {
	for _, a := range harness.Classes {
		require.True(t, policy.Stricter(a, a))
		for _, b := range harness.Classes {
			require.False(t, a != b && policy.Stricter(a, b) && policy.Stricter(b, a), "%s and %s", a, b)
			for _, c := range harness.Classes {
				require.True(t, !policy.Stricter(a, b) || !policy.Stricter(b, c) || policy.Stricter(a, c), "%s, %s, %s", a, b, c)
			}
		}
	}
}

func TestWaitStaysWithinItsBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := policy.Backoff{
			Initial: time.Duration(rapid.IntRange(0, int(time.Minute)).Draw(t, "initial")),
			Factor:  rapid.Float64Range(1, 100).Draw(t, "factor"),
			Jitter:  rapid.SampledFrom(policy.Jitters).Draw(t, "jitter"),
		}
		b.Max = b.Initial + time.Duration(rapid.IntRange(0, int(time.Hour)).Draw(t, "more"))
		l := policy.Limits{Backoff: b, IgnoreRetryAfter: rapid.Bool().Draw(t, "ignore")}
		n := rapid.IntRange(1, 1000).Draw(t, "n")
		after := time.Duration(rapid.IntRange(0, int(time.Hour)).Draw(t, "after"))
		w := l.Wait(n, after, rapid.Float64Range(0, 1).Draw(t, "chance"))
		switch {
		case after > 0 && !l.IgnoreRetryAfter:
			if w != after {
				t.Fatalf("waited %s, and the target asked for %s", w, after)
			}
		case w < 0 || w > b.Max:
			t.Fatalf("waited %s of at most %s", w, b.Max)
		}
		if b.Ceiling(n+1) < b.Ceiling(n) {
			t.Fatal("the back-off shrinks")
		}
	})
}

func TestSpent(t *testing.T) {
	l := policy.Limits{Attempts: 3, PerClass: map[harness.Class]int{harness.RejectedTransient: 2}, Budget: time.Second}
	require.False(t, l.Spent(harness.Unknown, 2, 2, 0))
	require.True(t, l.Spent(harness.Unknown, 3, 1, 0))
	require.True(t, l.Spent(harness.RejectedTransient, 2, 2, 0))
	require.True(t, l.Spent(harness.Unknown, 1, 1, time.Second))
	require.False(t, (&policy.Limits{}).Spent(harness.Unknown, 1000, 1000, time.Hour))
}

func TestClassSurvivesEveryWrap(t *testing.T) {
	err := error(&policy.Error{Class: harness.RejectedPermanent, Err: io.EOF})
	for i := range 5 {
		err = fmt.Errorf("layer %d: %w", i, errors.Join(err, errors.New("more")))
	}
	require.Equal(t, harness.RejectedPermanent, policy.ClassOf(err))
	require.ErrorIs(t, err, io.EOF)
	require.Equal(t, harness.Unknown, policy.ClassOf(io.EOF))
	require.Equal(t, harness.Confirmed, policy.ClassOf(nil))
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(full))
	f.Add([]byte("limits: &a {per_class: *a}\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := policy.Parse("policy.yaml", b)
		if err != nil {
			var le *located.Error
			require.ErrorAs(t, err, &le)
			return
		}
		require.Len(t, p.Moves, len(harness.Classes))
		require.GreaterOrEqual(t, p.Limits.Backoff.Max, p.Limits.Backoff.Initial)
	})
}

// TestParseIsBounded: what nobody writes is refused before it costs anything, whoever
// calls.
func TestParseIsBounded(t *testing.T) {
	indented := func() string {
		var b strings.Builder
		for i := range 500 {
			b.WriteString(strings.Repeat(" ", i) + "a:\n")
		}
		return b.String()
	}
	const limit = 64 << 20
	for name, in := range map[string]string{
		"brackets":  "limits: " + strings.Repeat("[", 200_000),
		"braces":    "limits: " + strings.Repeat("{a: ", 60_000),
		"dashes":    strings.Repeat("- ", 100_000),
		"questions": strings.Repeat("? ", 100_000),
		"indented":  indented(),
		"large":     "limits: {max_attempts: 3}\n#" + strings.Repeat("x", 300_000),
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := policy.Parse("policy.yaml", []byte(in))
			runtime.ReadMemStats(&after)
			var le *located.Error
			require.ErrorAs(t, err, &le)
			require.Regexp(t, "too deep|expected at most", le.Reason)
			require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(limit))
		})
	}
	deep := "limits: {max_attempts: 3} #" + strings.Repeat("x", 1000) + "\n"
	_, err := policy.Parse("policy.yaml", []byte(deep))
	require.NoError(t, err)
}
