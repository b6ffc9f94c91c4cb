package lint_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/policy/lint"
)

// kept is a target that keeps a key for a day, and forgetful one that keeps none.
var (
	kept = &harness.Promises{Profile: "kept", Key: harness.KeyPromise{Kept: true, Retention: harness.Duration(24 * time.Hour), Same: "replay"},
		Errors: []harness.ErrorClass{{Status: 422, Class: harness.RejectedPermanent}, {Status: 429, Class: harness.RejectedTransient}}}
	storing = &harness.Promises{Profile: "storing", Key: harness.KeyPromise{Kept: true, Retention: harness.Duration(24 * time.Hour), Same: "replay", StoresErrors: true},
		Lookup: harness.FindPromise{By: []string{"reference"}}, Errors: kept.Errors}
	// sure keeps a key, and can be looked at for sure.
	sure = &harness.Promises{Profile: "sure", Key: kept.Key, Lookup: harness.FindPromise{By: []string{"reference"}, Authoritative: true}, Errors: kept.Errors}
	// blind keeps a key, and can not be looked at.
	blind = &harness.Promises{Profile: "blind", Key: kept.Key, Errors: []harness.ErrorClass{{Status: 429, Class: harness.RejectedTransient}}}
	// named refuses a second effect under one name, and keeps no key.
	named = &harness.Promises{Profile: "named", UniqueNames: true, Lookup: harness.FindPromise{By: []string{"business_key"}, Authoritative: true}, Errors: kept.Errors}
	// listed keeps no key, and a look-up there proves no absence.
	listed = &harness.Promises{Profile: "listed", Lookup: harness.FindPromise{By: []string{"reference"}}, Errors: kept.Errors}
	// undone makes its effects in two steps, the first of which can be taken back.
	undone = &harness.Promises{Profile: "undone", Errors: kept.Errors, Lookup: named.Lookup,
		Steps: []harness.Step{{Op: "pay", Undo: "cancel"}, {Op: "create"}}}
	// stays makes its effects in two steps, and only what the last one made could be taken
	// back, after which nothing is refused.
	stays = &harness.Promises{Profile: "stays", Errors: kept.Errors, Lookup: named.Lookup,
		Steps: []harness.Step{{Op: "pay"}, {Op: "create", Undo: "cancel"}}}
	// searched keeps a key and no failures, and can be looked at.
	searched  = &harness.Promises{Profile: "searched", Key: kept.Key, Lookup: harness.FindPromise{By: []string{"reference"}}, Errors: kept.Errors}
	forgetful = &harness.Promises{Profile: "forgetful", Errors: kept.Errors}
)

// TestWhatIsTakenBack: what is said of an undo is said where there is one.
func TestWhatIsTakenBack(t *testing.T) {
	for _, doc := range []string{
		"retry_policy: {rejected_transient: stop_for_new_input_or_approval}\n",
		"limits: {per_class: {rejected_transient: 1}}\n",
		"stricter: [{status: 429, class: rejected_permanent}]\n",
		"limits: {max_attempts: 1, retry_after: ignore}\n",
	} {
		require.NotEmpty(t, rules(t, doc, "", undone), doc)
		require.Empty(t, rules(t, doc, "", stays), doc)
	}
}

func rules(t *testing.T, doc, as string, target *lint.Target) []string {
	t.Helper()
	_, policies, err := lint.Read("doc", []byte(doc), as)
	require.NoError(t, err)
	var ids []string
	for _, f := range lint.Lint(policies, target) {
		require.GreaterOrEqual(t, f.Line, 1)
		require.GreaterOrEqual(t, f.Column, 1)
		if !slices.Contains(ids, f.Rule) {
			ids = append(ids, f.Rule)
		}
	}
	return ids
}

const bounded = "limits: {max_attempts: 3, time_budget: 10s}\n"

// TestRules: for each rule a document that it finds, and one next to it that it does
// not. Other rules may find something in the first; nothing is found in the second.
func TestRules(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range []struct {
		rule, unsafe, safe string
		target             *lint.Target
	}{
		{"unknown-repeated", "retry_policy: {outcome_unknown: bounded_same_action_id}\n", "retry_policy: {outcome_unknown: reconcile_then_decide}\n", nil},
		{"unknown-repeated", "retry_policy: {outcome_unknown: bounded_same_action_id}\n", "retry_policy: {outcome_unknown: needs_review}\n", forgetful},
		{"unknown-repeated", "retry_on: 5xx\n", "retry_on: connect-failure,refused-stream,reset-before-request\n", nil},
		{"unknown-repeated", "retry_on: reset\n", "retry_on: reset\nretriable_request_headers: [{name: ':method', string_match: {exact: GET}}]\n", nil},
		{"hedged", `{"methodConfig": [{"hedgingPolicy": {"maxAttempts": 3, "hedgingDelay": "0.5s"}}]}`,
			`{"methodConfig": [{"retryPolicy": {"maxAttempts": 3, "initialBackoff": "0.1s", "maxBackoff": "1s", "backoffMultiplier": 2, "retryableStatusCodes": ["RESOURCE_EXHAUSTED"]}}]}`, nil},
		{"confirmed-repeated", "retry_policy: {confirmed: bounded_same_action_id}\n", "retry_policy: {confirmed: return_stored_receipt}\n", kept},
		{"permanent-repeated", "retry_policy: {rejected_permanent: bounded_same_action_id}\n", "retry_policy: {rejected_permanent: stop_for_new_input_or_approval}\n", kept},
		{"permanent-repeated", "stricter: [{status: 404, class: rejected_transient}]\n", "stricter: [{status: 429, class: rejected_permanent}]\n", nil},
		{"permanent-repeated", "{retry_on: retriable-status-codes, retriable_status_codes: [422]}\n", "{retry_on: connect-failure, retriable_status_codes: [422]}\n", kept},
		{"permanent-repeated", "maximumAttempts: 3\n", "{maximumAttempts: 3, nonRetryableErrorTypes: [Refused]}\n", kept},
		{"unknown-given-up", "retry_policy: {outcome_unknown: stop_for_new_input_or_approval}\n", "retry_policy: {outcome_unknown: reconcile_then_decide}\n", kept},
		{"never-looked-up", "retry_policy: {outcome_unknown: bounded_same_action_id}\n", "retry_policy: {outcome_unknown: reconcile_then_decide}\n", storing},
		{"never-looked-up", "retry_policy: {outcome_unknown: bounded_same_action_id}\n", "retry_policy: {outcome_unknown: reconcile_then_decide}\n", named},
		{"never-looked-up", "retry_policy: {outcome_unknown: bounded_same_action_id}\n", "retry_policy: {outcome_unknown: reconcile_then_decide}\n", searched},
		{"unsent-given-up", "retry_policy: {never_dispatched: stop_for_new_input_or_approval}\n", "retry_policy: {never_dispatched: bounded_same_action_id}\n", kept},
		{"unsent-given-up", "stricter: [{without_answer: refused, class: rejected_permanent}]\n", "stricter: [{without_answer: refused, class: outcome_unknown}, {without_answer: refused, class: rejected_permanent}]\n", kept},
		{"left-to-review", "retry_policy: {outcome_unknown: needs_review}\n", "retry_policy: {outcome_unknown: reconcile_then_decide}\n", kept},
		{"left-to-review", "retry_policy: {outcome_unknown: return_stored_receipt}\n", "retry_policy: {outcome_unknown: reconcile_then_decide}\n", kept},
		{"left-to-review", "retry_policy: {rejected_permanent: needs_review}\n", "retry_policy: {rejected_permanent: stop_for_new_input_or_approval}\n", nil},
		{"left-to-review", "stricter: [{status: 429, class: rejected_permanent}]\n", "stricter: [{status: 429, class: outcome_unknown}]\n", blind},
		{"left-to-review", "retry_policy: {rejected_permanent: reconcile_then_decide}\nlimits: {per_class: {rejected_permanent: 1}}\nstricter: [{status: 429, class: rejected_permanent}]\n",
			"retry_policy: {rejected_permanent: reconcile_then_decide}\nlimits: {per_class: {rejected_permanent: 1}}\n", blind},
		{"left-to-review", "stricter: [{status: 429, class: rejected_permanent}]\n", "limits: {max_attempts: 2}\nstricter: [{status: 429, class: rejected_permanent}]\n", blind},
		{"left-to-review", "stricter: [{status: 429, class: rejected_permanent}]\n",
			"stricter: [{status: 429, class: outcome_unknown}, {status: 429, class: rejected_permanent}]\n", blind},
		{"left-to-review", "retry_policy: {rejected_transient: needs_review}\nlimits: {max_attempts: 1}\nstricter: [{without_answer: refused, class: rejected_transient}]\n",
			"retry_policy: {rejected_transient: needs_review}\nlimits: {max_attempts: 1}\nstricter: [{without_answer: reset_in_answer, class: outcome_unknown}]\n", sure},
		{"left-to-review", "limits: {per_class: {rejected_transient: 1}}\n", "limits: {per_class: {rejected_transient: 2}}\n", blind},
		{"left-to-review", "retry_policy: {rejected_transient: stop_for_new_input_or_approval}\nlimits: {per_class: {rejected_transient: 1}}\n",
			"retry_policy: {rejected_transient: stop_for_new_input_or_approval}\nlimits: {per_class: {rejected_transient: 2}}\n", blind},
		{"left-to-review", "limits: {per_class: {rejected_transient: 1}}\n", "limits: {max_attempts: 1, per_class: {rejected_transient: 1}}\n", blind},
		{"left-to-review", "stricter: [{status: 429, class: outcome_unknown}]\n", "limits: {max_attempts: 1}\nstricter: [{status: 429, class: outcome_unknown}]\n", kept},
		{"left-to-review", "retry_policy: {rejected_transient: needs_review}\n", "retry_policy: {rejected_transient: stop_for_new_input_or_approval}\n", named},
		{"left-to-review", "retry_policy: {rejected_transient: needs_review}\nstricter: [{status: 429, class: rejected_permanent}, {without_answer: refused, class: rejected_transient}]\n",
			"retry_policy: {rejected_transient: needs_review}\nstricter: [{status: 429, class: rejected_permanent}]\n", named},
		{"left-to-review", "retry_policy: {never_dispatched: needs_review}\n", "retry_policy: {never_dispatched: needs_review}\nlimits: {max_attempts: 1}\n", blind},
		{"left-to-review", "retry_policy: {outcome_unknown: needs_review}\n", "retry_policy: {rejected_transient: needs_review}\n", listed},
		{"left-to-review", "retry_policy: {rejected_transient: stop_for_new_input_or_approval}\n", "retry_policy: {rejected_transient: bounded_same_action_id}\n", undone},
		{"left-to-review", "limits: {per_class: {rejected_transient: 1}}\n", "limits: {per_class: {rejected_transient: 2}}\n", undone},
		{"left-to-review", "stricter: [{status: 429, class: rejected_permanent}]\n", "limits: {max_attempts: 1}\nstricter: [{status: 429, class: rejected_permanent}]\n", undone},
		{"laxer-class", "stricter: [{status: 422, class: rejected_transient}]\n", "stricter: [{status: 429, class: outcome_unknown}]\n", storing},
		{"beyond-retention", "retry_policy: {outcome_unknown: bounded_same_action_id}\nlimits: {time_budget: 25h}\n", "retry_policy: {outcome_unknown: bounded_same_action_id}\nlimits: {time_budget: 23h}\n", kept},
		{"beyond-retention", "retry_policy: {outcome_unknown: bounded_same_action_id}\nlimits: {max_attempts: 50, time_budget: 0s, backoff: {initial: 1h, max: 1h}}\n", "limits: {max_attempts: 50, time_budget: 0s, backoff: {initial: 1h, max: 1h}}\n", kept},
		{"beyond-retention", "retry_policy: {outcome_unknown: bounded_same_action_id}\nlimits: {max_attempts: 2, time_budget: 0s}\n",
			"retry_policy: {outcome_unknown: bounded_same_action_id}\nlimits: {max_attempts: 2}\n", kept},
		{"beyond-retention", "nonRetryableErrorTypes: [A]\n", "{nonRetryableErrorTypes: [A], maximumAttempts: 9}\n", kept},
		{"no-bound", "limits: {max_attempts: 0, time_budget: 0s}\n", "limits: {max_attempts: 0, time_budget: 10s}\n", nil},
		{"no-bound", "limits: {max_attempts: 0, time_budget: 0s, per_class: {outcome_unknown: 1}}\n",
			"limits: {max_attempts: 0, time_budget: 0s, per_class: {outcome_unknown: 1}}\nstricter: [{status: 429, class: rejected_permanent}]\n", forgetful},
		{"no-bound", "retry_policy: {never_dispatched: bounded_same_action_id}\nlimits: {max_attempts: 0, time_budget: 0s, per_class: {outcome_unknown: 1, rejected_transient: 1}}\n",
			"limits: {max_attempts: 0, time_budget: 0s, per_class: {outcome_unknown: 1, rejected_transient: 1}}\n", named},
		{"no-bound", "limits: {max_attempts: 0, time_budget: 0s, per_class: {rejected_transient: 1}}\nstricter: [{without_answer: refused, class: rejected_transient}]\nretry_policy: {outcome_unknown: automatic_same_action_id}\n",
			"limits: {max_attempts: 0, time_budget: 0s, per_class: {rejected_transient: 1}}\nstricter: [{without_answer: refused, class: rejected_transient}]\n", forgetful},
		{"no-bound", "{startToCloseTimeout: 5s, retryPolicy: {nonRetryableErrorTypes: [A]}}\n", "{scheduleToCloseTimeout: 60s, retryPolicy: {nonRetryableErrorTypes: [A]}}\n", kept},
		{"retry-after-ignored", "limits: {retry_after: ignore}\n", "limits: {retry_after: honour}\n", nil},
		{"retry-after-ignored", "limits: {max_attempts: 1, retry_after: ignore}\n", "retry_policy: {rejected_transient: needs_review}\nlimits: {max_attempts: 1, retry_after: ignore}\n", undone},
		{"retry-after-ignored", "limits: {max_attempts: 1, retry_after: ignore}\n", "limits: {max_attempts: 1, retry_after: honour}\n", undone},
		{"retry-after-ignored", "retry_on: envoy-ratelimited\n", "{retry_on: envoy-ratelimited, rate_limited_retry_back_off: {reset_headers: [{name: Retry-After}]}}\n", nil},
		{"no-backoff", "limits: {backoff: {initial: 0s, max: 0s}}\n", "limits: {backoff: {initial: 100ms, max: 1s}}\n", nil},
		{"no-backoff", "{axios-retry: {retries: 2}}\n", "{axios-retry: {retries: 2, retryDelay: exponentialDelay}}\n", kept},
		{"no-jitter", "limits: {backoff: {jitter: none}}\n", "limits: {backoff: {jitter: equal}}\n", nil},
		{"no-jitter", "{RetryMax: 2}\n", "{RetryMax: 2, RetryWaitMax: 5s, Backoff: RateLimitLinearJitterBackoff}\n", kept},
	} {
		t.Run(c.rule+"/"+strings.TrimSpace(c.unsafe), func(t *testing.T) {
			require.Contains(t, rules(t, c.unsafe, "", c.target), c.rule)
			require.Empty(t, rules(t, c.safe, "", c.target))
		})
		seen[c.rule] = true
	}
	for _, r := range lint.Rules {
		require.True(t, seen[r.ID], "%s has no row", r.ID)
		require.Contains(t, r.Source, "https://", r.ID)
		require.NotEmpty(t, r.Doc)
		require.NotEmpty(t, r.Do)
	}
}

// TestFormats: what each format says, found from its content, and where.
func TestFormats(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range []struct {
		format, doc string
		policies    int
		attempts    int
		want        []string
		target      *lint.Target
	}{
		{"drill", bounded, 1, 3, nil, nil},
		{"drill", "retry_policy: {outcome_unknown: automatic_same_action_id}\n", 1, 5, []string{"unknown-repeated"}, forgetful},
		{"temporal", "retryPolicy:\n  initialInterval: 1s\n  backoffCoefficient: 2.0\n", 1, 0, []string{"unknown-repeated", "permanent-repeated", "no-bound"}, nil},
		{"temporal", `{"initial_interval": "1s", "maximum_attempts": 1}`, 1, 1, nil, nil},
		{"temporal", "refund:\n  startToCloseTimeout: 10s\nmail:\n  scheduleToCloseTimeout: 60s\n  retryPolicy: {maximumAttempts: 3, nonRetryableErrorTypes: [A]}\n", 2, 0, []string{"permanent-repeated", "beyond-retention", "no-bound"}, kept},
		{"envoy", "routes:\n  - match: {prefix: /}\n    route:\n      cluster: a\n      timeout: 5s\n      retry_policy: {retry_on: 'gateway-error', num_retries: 3}\n", 1, 4, []string{"unknown-repeated", "retry-after-ignored"}, nil},
		{"envoy", "retry_on: retriable-4xx\n", 1, 2, []string{"unknown-repeated"}, nil},
		{"istio", "apiVersion: networking.istio.io/v1\nkind: VirtualService\nspec:\n  http:\n    - route: [{destination: {host: a}}]\n    - route: [{destination: {host: b}}]\n      retries: {attempts: 0}\n", 2, 3, []string{"unknown-repeated"}, nil},
		{"istio", "retries: {attempts: 3, perTryTimeout: 2s, retryOn: 'connect-failure,503'}\n", 1, 4, []string{"unknown-repeated", "retry-after-ignored"}, nil},
		{"istio", "kind: VirtualService\nspec:\n  http:\n    - match: [{method: {exact: GET}}]\n      retries: {attempts: 3, retryOn: 'reset,404'}\n", 1, 4, nil, nil},
		{"grpc", "{\n\t\"methodConfig\": [{\n\t\t\"name\": [{}],\n\t\t\"retryPolicy\": {\"MaxAttempts\": 9, \"InitialBackoff\": \".1s\", \"MaxBackoff\": \"1s\", \"BackoffMultiplier\": 2, \"RetryableStatusCodes\": [\"UNAVAILABLE\", 3]}\n\t}]\n}", 1, 5, []string{"unknown-repeated", "permanent-repeated"}, nil},
		{"nginx", "location / {\n  proxy_pass http://a;\n  proxy_next_upstream error timeout;\n}\n", 1, 0, nil, nil},
		{"nginx", "http {\n  proxy_next_upstream error http_404 non_idempotent; # all\n  server { location /a { proxy_next_upstream off; } location /b { proxy_next_upstream_tries 2; } }\n}\n", 3, 0, []string{"unknown-repeated", "permanent-repeated"}, nil},
		{"aws", "[default]\nregion = eu-west-1\nretry_mode = standard\n[profile b]\nmax_attempts = 1\n", 2, 3, []string{"unknown-repeated"}, nil},
		{"aws", "max_attempts = 2\nretry_mode = legacy\n", 1, 2, nil, kept},
		{"aws", "retry_mode = legacy\n", 1, 0, nil, kept},
		{"aws", "export AWS_RETRY_MODE=adaptive\nexport AWS_MAX_ATTEMPTS=4\n", 1, 4, nil, kept},
		{"go-retryablehttp", "{RetryMax: 3, RetryWaitMin: 1s, Backoff: LinearJitterBackoff}\n", 1, 4, []string{"unknown-repeated", "retry-after-ignored"}, nil},
		{"go-retryablehttp", "go-retryablehttp: {}\n", 1, 5, []string{"unknown-repeated", "no-jitter"}, nil},
		{"axios-retry", `{"retries": 2, "retryCondition": "isIdempotentRequestError", "retryDelay": "exponentialDelay"}`, 1, 3, nil, nil},
		{"axios-retry", "axiosRetry: {retryDelay: linearDelay}\n", 1, 4, []string{"unknown-repeated", "no-jitter"}, nil},
	} {
		t.Run(c.format+"/"+strings.TrimSpace(c.doc), func(t *testing.T) {
			f, policies, err := lint.Read("doc", []byte(c.doc), "")
			require.NoError(t, err)
			require.Equal(t, c.format, f.ID)
			known, is := lint.Known([]byte(c.doc))
			require.True(t, is)
			require.Equal(t, c.format, known.ID)
			require.Len(t, policies, c.policies)
			if c.policies == 1 {
				require.Equal(t, c.attempts, policies[0].Attempts)
			}
			require.ElementsMatch(t, c.want, rules(t, c.doc, c.format, c.target))
		})
		seen[c.format] = true
	}
	for _, doc := range []string{"", "hello: world\n", "retry_on: [5xx\n", strings.Repeat("#", 2<<20)} {
		_, is := lint.Known([]byte(doc))
		require.False(t, is, "%.20q", doc)
	}
	for _, f := range lint.Formats {
		require.True(t, seen[f.ID], "%s has no row", f.ID)
		require.NotEmpty(t, f.Doc)
		require.NotEmpty(t, f.Source)
	}
}

func TestFindingsHavePlaces(t *testing.T) {
	doc := "routes:\n- route:\n    retry_policy:\n      retry_on: connect-failure,reset\n      num_retries: 2\n"
	_, policies, err := lint.Read("doc", []byte(doc), "")
	require.NoError(t, err)
	found := lint.Lint(policies, nil)
	require.Len(t, found, 1)
	require.Equal(t, lint.Place{Line: 4, Column: 17}, found[0].Place)
	require.Equal(t, "routes.1.route", found[0].Policy)
	require.Contains(t, found[0].Why, "reset is repeated")
}
