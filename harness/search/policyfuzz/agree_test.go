package policyfuzz_test

import (
	"flag"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/check"
	"github.com/retrydrill/drill/harness/policy"
	"github.com/retrydrill/drill/harness/policy/lint"
	"github.com/retrydrill/drill/harness/search/policyfuzz"
)

var (
	seed   = flag.Uint64("policy.seed", 1, "the source of the policies that are drawn")
	checks = flag.Int("policy.checks", 72, "how many policies are drawn")
	depth  = flag.Int("policy.depth", 1, "how many faults a schedule has at most")
)

// TestJudgesAgree: lint finds nothing, so no schedule breaks a policy; lint finds
// something that a schedule can show, so one does.
func TestJudgesAgree(t *testing.T) {
	var all []policyfuzz.Arena
	for _, w := range where {
		a := arena(t, w.target, w.forget)
		a.Depth = *depth
		all = append(all, a)
	}
	r, err := policyfuzz.Fuzz(t.Context(), policyfuzz.Options{Arenas: all, Seed: *seed, Checks: *checks})
	require.NoError(t, err)
	for _, d := range r.Disagreements {
		t.Errorf("at %s: %s\n%slint: %v\nsearch: %v", d.Target, d.Disagrees, d.Policy, rulesOf(d), brokenBy(d))
	}
	require.Equal(t, *checks, r.Checks)
	require.NotZero(t, r.Clean)
	require.NotZero(t, r.Unsafe)
	t.Logf("%d policies, %d schedules: %d clean, %d unsafe, %d quiet, %v", r.Checks, r.Ran, r.Clean, r.Unsafe, r.Quiet, r.Rules)
}

func rulesOf(j policyfuzz.Judged) (ids []string) {
	for _, f := range j.Lint {
		ids = append(ids, f.Rule)
	}
	return ids
}

func brokenBy(j policyfuzz.Judged) (out []string) {
	for _, f := range j.Found {
		out = append(out, strings.Join(f.Invariants, ", ")+" by "+strings.Join(f.Lines(), "; "))
	}
	return out
}

func parsed(t *testing.T, text string) policy.Policy {
	p, err := policy.Parse("policy.yaml", []byte(text))
	require.NoError(t, err)
	return p
}

// TestThePlainPolicyIsSafe: the default one, at every target, under every pair (at one
// that has a key alone and forgets it, under every single fault).
func TestThePlainPolicyIsSafe(t *testing.T) {
	for _, w := range where {
		a := arena(t, w.target, w.forget)
		// In a trial of seconds keys are forgotten within one wait of the default.
		j, err := a.Judge(t.Context(), parsed(t, "limits: {time_budget: 0s, backoff: {initial: 20ms, max: 1s}}\n"))
		require.NoError(t, err)
		require.Empty(t, j.Disagrees, "%s, forget %v: %v %v", w.target, w.forget, rulesOf(j), brokenBy(j))
		require.Empty(t, brokenBy(j))
		require.Greater(t, j.Ran, 40)
	}
}

// TestRulesAreShown: for each rule of lint that a schedule can show there is a policy
// that it finds, a target, and an invariant that the harm breaks there. What is in no
// row is in Unshown.
func TestRulesAreShown(t *testing.T) {
	shown := map[string]bool{}
	for _, c := range []struct {
		rule, policy, target string
		forget               bool
		invariant            string
	}{
		{"unknown-repeated", "retry_policy: {outcome_unknown: bounded_same_action_id}", "no-key-no-lookup", false, "one-effect"},
		{"unknown-repeated", "retry_policy: {outcome_unknown: bounded_same_action_id}", "lookup-by-reference", false, "reconcile-first"},
		{"confirmed-repeated", "retry_policy: {confirmed: bounded_same_action_id}", "no-key-no-lookup", false, "one-effect"},
		{"permanent-repeated", "retry_policy: {rejected_permanent: bounded_same_action_id}", "stripe-v1", false, "permanent-stops"},
		{"unknown-given-up", "retry_policy: {outcome_unknown: stop_for_new_input_or_approval}", "stripe-v1", false, "true-report"},
		{"never-looked-up", "retry_policy: {outcome_unknown: bounded_same_action_id}", "stripe-v1", false, "settles"},
		{"never-looked-up", "retry_policy: {outcome_unknown: automatic_same_action_id}", "tickets", false, "settles"},
		{"left-to-review", "retry_policy: {outcome_unknown: needs_review}\nlimits: {max_attempts: 1}", "deployments", false, "settles"},
		{"left-to-review", "retry_policy: {rejected_transient: needs_review}\nstricter: [{status: 429, class: rejected_permanent}, {without_answer: refused, class: rejected_transient}]", "stripe-v1", false, "settles"},
		{"left-to-review", "stricter: [{status: 429, class: rejected_permanent}]", "orders", false, "settles"},
		{"left-to-review", "stricter: [{status: 429, class: outcome_unknown}]", "aws-client-token", false, "settles"},
		{"never-looked-up", "retry_policy: {outcome_unknown: automatic_same_action_id}\nlimits: {per_class: {outcome_unknown: 3}}", "dns-http", false, "settles"},
		{"left-to-review", "retry_policy: {rejected_transient: stop_for_new_input_or_approval}\nlimits: {per_class: {rejected_transient: 1}}", "ietf-07", false, "settles"},
		{"left-to-review", "retry_policy: {rejected_permanent: reconcile_then_decide}\nlimits: {per_class: {rejected_permanent: 1}}\nstricter: [{status: 429, class: rejected_permanent}]", "qonto", false, "settles"},
		{"left-to-review", "retry_policy: {rejected_permanent: reconcile_then_decide}\nlimits: {per_class: {rejected_permanent: 1}}\nstricter: [{status: 429, class: outcome_unknown}]", "qonto", false, "settles"},
		{"unsent-given-up", "retry_policy: {never_dispatched: stop_for_new_input_or_approval}", "stripe-v1", false, "no-lost-effect"},
		{"left-to-review", "retry_policy: {outcome_unknown: needs_review}", "ietf-07", false, "settles"},
		{"left-to-review", "retry_policy: {rejected_permanent: needs_review}", "no-key-no-lookup", false, "settles"},
		{"beyond-retention", "retry_policy: {outcome_unknown: bounded_same_action_id}\nlimits: {time_budget: 0s, backoff: {initial: 2s, max: 2s, jitter: equal}}", "ietf-07", true, "one-effect"},
		{"beyond-retention", "retry_policy: {outcome_unknown: automatic_same_action_id}\nlimits: {max_attempts: 2}", "ietf-07", true, "one-effect"},
		{"beyond-retention", "retry_policy: {outcome_unknown: bounded_same_action_id}\nlimits: {time_budget: 0s, backoff: {initial: 20ms, max: 1s}}", "ietf-07", true, "one-effect"},
		{"left-to-review", "stricter: [{status: 429, class: rejected_permanent}]", "ietf-07", false, "settles"},
		{"left-to-review", "retry_policy: {rejected_transient: return_stored_receipt}\nlimits: {per_class: {outcome_unknown: 1}}", "stripe-v1", false, "settles"},
		{"left-to-review", "retry_policy: {outcome_unknown: return_stored_receipt}", "stripe-v1", false, "settles"},
		{"left-to-review", "limits: {per_class: {rejected_transient: 1}}", "ietf-07", false, "settles"},
		{"no-bound", "limits: {max_attempts: 0, time_budget: 0s, backoff: {initial: 1ms, max: 1ms}}", "lookup-by-reference", false, "bounded-attempts"},
		{"retry-after-ignored", "limits: {retry_after: ignore, backoff: {initial: 1ms, max: 1ms}}", "stripe-v1", false, "bounded-attempts"},
	} {
		t.Run(c.rule+"/"+c.target, func(t *testing.T) {
			shown[c.rule] = true
			a := arena(t, c.target, c.forget)
			a.Depth = 1
			j, err := a.Judge(t.Context(), parsed(t, c.policy+"\n"))
			require.NoError(t, err)
			require.Contains(t, rulesOf(j), c.rule)
			require.Empty(t, j.Disagrees)
			require.Contains(t, strings.Join(brokenBy(j), "\n"), c.invariant)
		})
	}
	for _, r := range lint.Rules {
		require.NotEqual(t, policyfuzz.Everywhere(r.ID) != "", shown[r.ID], "%s has to be shown, or the reason told", r.ID)
	}
}

// TestNeitherIsBlamed: what the search once found and no policy can be blamed for, and what
// it can not show with the faults that it has.
func TestNeitherIsBlamed(t *testing.T) {
	for _, c := range []struct {
		name, target, policy string
		forget               bool
		lint                 []string
	}{
		{"refused connections leave one attempt, and a fault takes it", "ietf-07", "retry_policy: {never_dispatched: bounded_same_action_id}", false, nil},
		{"the target says later, the policy says never, and what is in doubt arrives late", "stripe-v1", "limits: {per_class: {rejected_transient: 1}}", false, nil},
		{"nothing can tell, and a person is asked", "no-key-no-lookup", "retry_policy: {outcome_unknown: return_stored_receipt}", false, nil},
		{"the one attempt of what a batch brings is refused for now", "lookup-by-reference", "retry_policy: {rejected_transient: return_stored_receipt}\nlimits: {max_attempts: 1}", false, nil},
		{"one refusal for good is all that the policy allows, and a person consents anew", "deployments", "limits: {per_class: {rejected_permanent: 1}}", false, nil},
		{"the one attempt is unknown, on another machine nobody knows of it", "stripe-v1", "limits: {per_class: {outcome_unknown: 1}}", false, nil},
		{"the one attempt is unknown, since who heard it died", "ietf-07", "limits: {per_class: {outcome_unknown: 1}}", false, nil},
		{"the one attempt is unknown, and is not repeated", "ietf-07", "retry_policy: {outcome_unknown: bounded_same_action_id}\nlimits: {per_class: {outcome_unknown: 1}}", false, nil},
		{"two answers are lost, one of them by time", "acp", "limits: {per_class: {outcome_unknown: 2}}", false, nil},
		{"a life that ended spends the one attempt, too", "no-key-no-lookup", "retry_policy: {outcome_unknown: bounded_same_action_id}\nlimits: {per_class: {outcome_unknown: 1}}", false, nil},
		{"the policy refuses for good what the target refuses for now, and what was made before is taken back", "orders", "limits: {max_attempts: 1}\nstricter: [{status: 429, class: rejected_permanent}]", false, nil},
		{"the policy's own bound ends the second step, and the first one is taken back", "orders", "limits: {per_class: {outcome_unknown: 2}}", false, nil},
		{"the transport sends again within the one attempt", "orders", "limits: {max_attempts: 1}", false, nil},
		{"no refusal for now is left to be repeated without a bound", "lookup-by-reference", "limits: {max_attempts: 0, time_budget: 0s, per_class: {outcome_unknown: 1}}\nstricter: [{status: 429, class: rejected_permanent}]", false, nil},
		{"nothing tells, so that nothing is repeated without a bound", "no-key-no-lookup", "limits: {max_attempts: 0, time_budget: 0s}\nstricter: [{status: 429, class: rejected_permanent}]", false, nil},
		{"what never leaves has no bound, and is not counted", "lookup-by-reference", "retry_policy: {never_dispatched: bounded_same_action_id}\nlimits: {max_attempts: 0, time_budget: 0s, per_class: {rejected_transient: 1, outcome_unknown: 1}}", false, []string{"no-bound"}},
		{"what is confirmed is looked at, and not sent again", "ietf-07", "retry_policy: {confirmed: reconcile_then_decide}\nlimits: {max_attempts: 0, time_budget: 0s, per_class: {rejected_transient: 2}}", true, []string{"no-bound"}},
		{"where keys are forgotten a person is asked in the end", "ietf-07", "limits: {max_attempts: 0, time_budget: 0s, per_class: {rejected_transient: 2}}", true, []string{"no-bound"}},
		{"a look-up that proves no absence does not tell of a refusal", "deployments", "retry_policy: {rejected_transient: needs_review}", false, nil},
		{"what may be refused for good once is refused for good", "ietf-07", "retry_policy: {rejected_permanent: bounded_same_action_id}\nlimits: {per_class: {rejected_permanent: 1}}", false, nil},
		{"what is looked up after it is, too, where no attempt is left", "ietf-07", "retry_policy: {rejected_permanent: reconcile_then_decide}\nlimits: {per_class: {rejected_permanent: 1}}", false, nil},
		{"a target that is down is not looked at, and nothing is sent", "lookup-by-reference", "retry_policy: {rejected_transient: needs_review}\nstricter: [{status: 429, class: rejected_permanent}, {without_answer: refused, class: rejected_transient}]", false, []string{"left-to-review"}},
		{"the key answers the repeats of what is confirmed, for a day", "acp", "retry_policy: {confirmed: bounded_same_action_id}\nlimits: {max_attempts: 0, time_budget: 23h}", false, []string{"confirmed-repeated"}},
		{"the key answers the repeats of what is confirmed, thirty times", "ietf-07", "retry_policy: {confirmed: bounded_same_action_id}\nlimits: {max_attempts: 30}", false, []string{"confirmed-repeated"}},
		{"a refusal for now is the one unknown outcome that the policy allows", "stripe-v1", "limits: {per_class: {outcome_unknown: 1}}\nstricter: [{status: 429, class: outcome_unknown}]", false, nil},
		{"nothing tells, and what never leaves is not counted", "no-key-no-lookup", "limits: {max_attempts: 0, time_budget: 0s}\nstricter: [{status: 429, class: outcome_unknown}, {without_answer: refused, class: rejected_transient}]", false, []string{"no-bound"}},
		{"a bound on unknown outcomes ends the repeats of what is confirmed", "adyen", "retry_policy: {confirmed: bounded_same_action_id}\nlimits: {per_class: {outcome_unknown: 1}}", false, []string{"confirmed-repeated"}},
		{"what never left is the one attempt", "ietf-07", "retry_policy: {never_dispatched: needs_review}\nlimits: {max_attempts: 1}", false, nil},
		{"a refusal that is looked up is no end without one", "acp", "retry_policy: {rejected_permanent: reconcile_then_decide}\nlimits: {max_attempts: 1}", false, nil},
		{"the same by a class of the policy's own", "stripe-v1", "stricter: [{status: 429, class: rejected_permanent}]", false, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := arena(t, c.target, c.forget)
			j, err := a.Judge(t.Context(), parsed(t, c.policy+"\n"))
			require.NoError(t, err)
			require.Empty(t, j.Disagrees)
			require.Empty(t, brokenBy(j))
			require.Equal(t, c.lint, rulesOf(j))
		})
	}
}

// TestMintedTwiceHasNoNewAttempts: an intent whose attempts are spent is told so under a
// second ID, too, and that is no lost effect.
func TestMintedTwiceHasNoNewAttempts(t *testing.T) {
	a := arena(t, "stripe-v1", false)
	s := a.Schedule
	s.Executor.Policy, s.Limits.MaxAttempts = "limits: {max_attempts: 1}\n", 1
	for _, l := range []string{"create#1 request close", "deliver#2 new-action"} {
		f, err := harness.ParseFault(l)
		require.NoError(t, err)
		s.Faults = append(s.Faults, f)
	}
	h, err := a.World.Run(t.Context(), s)
	require.NoError(t, err)
	require.Empty(t, check.Judge(h).Violations)
}

// TestDisagreementsAreFound: each way in which the judges can differ is told, and the
// policy that is told is as plain as it gets.
func TestDisagreementsAreFound(t *testing.T) {
	a := arena(t, "stripe-v1", false)
	a.Depth = 1
	a.Schedule.Executor.Name = "no-key"
	p := parsed(t, "retry_policy: {confirmed: stop_for_new_input_or_approval}\nlimits: {max_attempts: 4, backoff: {jitter: equal}}\n")
	j, err := a.Judge(t.Context(), p)
	require.NoError(t, err)
	require.Contains(t, j.Disagrees, "lint finds nothing that a schedule shows")
	small, err := a.Shrink(t.Context(), p, j)
	require.NoError(t, err)
	plain, err := policy.Default().YAML()
	require.NoError(t, err)
	require.Equal(t, string(plain), small.Policy)

	a = arena(t, "no-key-no-lookup", false)
	a.Depth, a.Carries = 1, func(harness.Fault) bool { return false }
	j, err = a.Judge(t.Context(), parsed(t, "retry_policy: {outcome_unknown: bounded_same_action_id}\n"))
	require.NoError(t, err)
	require.Equal(t, "lint finds unknown-repeated, and no schedule breaks the policy", j.Disagrees)
}
