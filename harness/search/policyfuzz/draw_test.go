package policyfuzz_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/policy"
	"github.com/retrydrill/drill/harness/search/policyfuzz"
)

// Every drawn policy is a document that parses back to it, and all that a document can
// say is drawn.
func TestPoliciesAreDocuments(t *testing.T) {
	promises := harness.Promises{Profile: "test", Key: harness.KeyPromise{Kept: true, Retention: harness.Duration(time.Hour)},
		Errors: []harness.ErrorClass{{Status: 422, Class: harness.RejectedPermanent}, {Status: 429, Class: harness.RejectedTransient}}}
	gen := policyfuzz.Policies(promises)
	rapid.Check(t, func(t *rapid.T) {
		p := gen.Draw(t, "policy")
		text, err := p.YAML()
		require.NoError(t, err)
		read, err := policy.Parse("drawn", text)
		require.NoError(t, err, "%s", text)
		require.Equal(t, p.Moves, read.Moves)
		require.Equal(t, p.Limits, read.Limits)
		require.Equal(t, p.Overrides, read.Overrides)
	})
	moves, seen := map[string]bool{}, map[string]bool{}
	for i := range 400 {
		p := gen.Example(i)
		for c, m := range p.Moves {
			moves[string(c)+" "+string(m)] = true
		}
		l := p.Limits
		for what, is := range map[string]bool{
			"no attempts": l.Attempts == 0, "one attempt": l.Attempts == 1, "many attempts": l.Attempts > 20, "a bound by class": len(l.PerClass) > 0,
			"no budget": l.Budget == 0, "within retention": l.Budget > 30*time.Second && l.Budget < time.Hour, "beyond retention": l.Budget > time.Hour,
			"no back-off": l.Backoff.Max == 0, "no jitter": l.Backoff.Jitter == policy.None, "full jitter": l.Backoff.Jitter == policy.Full,
			"ignored": l.IgnoreRetryAfter, "honoured": !l.IgnoreRetryAfter, "stricter": len(p.Overrides) > 0,
		} {
			if is {
				seen[what] = true
			}
		}
	}
	require.Len(t, moves, len(harness.Classes)*len(policy.Moves), "every class to every move: %v", moves)
	require.Len(t, seen, 13, "drawn: %v", seen)
}
