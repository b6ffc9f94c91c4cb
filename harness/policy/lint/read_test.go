package lint_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/policy/lint"
	"github.com/retrydrill/drill/internal/located"
)

func TestReadRefuses(t *testing.T) {
	laughs := "a: &a [x, x, x, x, x, x, x, x, x, x]\n"
	for c := 'b'; c <= 'h'; c++ {
		laughs += fmt.Sprintf("%c: &%c [*%c, *%c, *%c, *%c, *%c, *%c, *%c, *%c]\n", c, c, c-1, c-1, c-1, c-1, c-1, c-1, c-1, c-1)
	}
	for _, c := range []struct {
		name, as, in string
		line, column int
		reason       string
	}{
		{"nothing", "", "", 1, 1, "empty"},
		{"anything", "", "hello: world\n", 1, 1, "name it with --as"},
		{"no format", "chubby", "retry_on: 5xx\n", 1, 1, `no format "chubby"`},
		{"not this format", "grpc", "retry_on: 5xx\n", 1, 1, "nothing here says"},
		{"broken", "", "retry_on: [5xx\n", 1, 11, ""},
		{"a cycle", "envoy", "retry_policy: &a\n  retry_priority: *a\n  retry_on: 5xx\n", 2, 19, "a cycle"},
		{"no anchor", "envoy", "retry_on: *b\n", 1, 11, `no anchor "b"`},
		{"too large", "envoy", laughs, 0, 0, "too large"},
		{"too deep", "", strings.Repeat("[", 100_000), 1, 201, "too deep"},
		{"lists in lists", "", "a: 1\nb: " + strings.Repeat("- ", 50_000), 2, 402, "too deep"},
		{"drill's own class", "", "limits: {}\nretry_policy: {unsure: needs_review}\n", 2, 24, `no class "unsure"`},
		{"envoy key", "", "retry_on: 5xx\nnum_retrys: 3\n", 2, 1, `no field "num_retrys"`},
		{"envoy condition", "", "retry_on: 5xx,6xx\n", 1, 11, `no condition "6xx"`},
		{"envoy count", "", "{retry_on: 5xx, num_retries: -1}\n", 1, 30, "at least 0"},
		{"envoy doubled", "", "retry_on: 5xx\nretryOn: reset\n", 2, 1, "a second time"},
		{"envoy duration", "", "{retry_on: 5xx, per_try_timeout: soon}\n", 1, 34, "no duration"},
		{"istio key", "", "retries: {attempts: 3, retryon: 5xx}\n", 1, 24, `no field "retryon"`},
		{"istio negative", "", "retries: {attempts: -2}\n", 1, 21, "at least 0"},
		{"grpc code", "", `{"methodConfig": [{"retryPolicy": {"maxAttempts": 2, "initialBackoff": "1s", "maxBackoff": "1s", "backoffMultiplier": 1, "retryableStatusCodes": ["GONE"]}}]}`, 1, 147, `no status code "GONE"`},
		{"grpc one attempt", "", `{"methodConfig": [{"hedgingPolicy": {"maxAttempts": 1}}]}`, 1, 53, "at least 2"},
		{"grpc incomplete", "", `{"methodConfig": [{"retryPolicy": {"maxAttempts": 2}}]}`, 1, 36, "no initialBackoff"},
		{"grpc both", "", `{"methodConfig": [{"retryPolicy": {"maxAttempts": 2}, "hedgingPolicy": {"maxAttempts": 2}}]}`, 1, 55, "not both"},
		{"temporal coefficient", "", "backoffCoefficient: 0.5\n", 1, 21, "from 1"},
		{"temporal no number", "", "backoffCoefficient: .nan\n", 1, 21, "expected a number"},
		{"temporal negative", "", "maximumAttempts: -1\n", 1, 18, "at least 0"},
		{"nginx condition", "", "proxy_next_upstream error sometimes;\n", 1, 27, `no condition "sometimes"`},
		{"nginx open", "", "location / { proxy_next_upstream error;\n", 1, 1, "does not end"},
		{"nginx closed twice", "", "location / { proxy_next_upstream error; } }\n", 1, 43, "did not begin"},
		{"nginx semicolon", "", "proxy_next_upstream error\n", 1, 1, "semicolon"},
		{"nginx quote", "", "proxy_next_upstream error;\nset $a 'b;\n", 2, 8, "a quote begins here"},
		{"nginx tries", "", "proxy_next_upstream_tries many;\n", 1, 1, "a whole number"},
		{"aws mode", "", "[default]\n  retry_mode = careful\n", 2, 3, "standard, adaptive or legacy"},
		{"aws attempts", "", "max_attempts = 0\n", 1, 1, "greater than 0"},
		{"aws section", "", "[default\nmax_attempts = 2\n", 1, 1, "does not end"},
		{"retryablehttp function", "", "{CheckRetry: mine}\n", 1, 14, "can not be read"},
		{"axios function", "", "{retryCondition: '() => true'}\n", 1, 18, "can not be read"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, err := lint.Read("doc", []byte(c.in), c.as)
			var le *located.Error
			require.ErrorAs(t, err, &le)
			require.Contains(t, le.Reason, c.reason)
			if c.line > 0 {
				require.Equal(t, [2]int{c.line, c.column}, [2]int{le.Line, le.Column}, err.Error())
			}
		})
	}
	_, _, err := lint.Read("doc", []byte(strings.Repeat("#", 2<<20)), "")
	require.ErrorContains(t, err, "at most")
}

// TestEnvoyAsDrawn: whatever a policy repeats, only what was never dispatched is
// free of findings, and a target that keeps a key takes unknown-repeated away.
func TestEnvoyAsDrawn(t *testing.T) {
	words := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"5xx", "gateway-error", "reset", "connect-failure", "refused-stream",
		"retriable-4xx", "reset-before-request", "unavailable"}), 1, 4, rapid.ID[string])
	harmless := map[string]bool{"connect-failure": true, "refused-stream": true, "reset-before-request": true}
	rapid.Check(t, func(t *rapid.T) {
		on := words.Draw(t, "on")
		n := rapid.IntRange(0, 9).Draw(t, "n")
		_, policies, err := lint.Read("doc", fmt.Appendf(nil, "retry_on: %s\nnum_retries: %d\n", strings.Join(on, ","), n), "")
		if err != nil {
			t.Fatal(err)
		}
		want := false
		for _, w := range on {
			want = want || n > 0 && !harmless[w]
		}
		if got := finds(lint.Lint(policies, nil), "unknown-repeated"); got != want {
			t.Fatalf("%v: found %v", on, got)
		}
		if finds(lint.Lint(policies, kept), "unknown-repeated") {
			t.Fatalf("%v: found at a target that keeps a key", on)
		}
	})
}

func finds(found []lint.Finding, rule string) bool {
	for _, f := range found {
		if f.Rule == rule {
			return true
		}
	}
	return false
}

// reads is what holds for any input: an error has a place, and what is read can be
// held to every rule.
func reads(t *testing.T, b []byte, as string) {
	_, policies, err := lint.Read("doc", b, as)
	if err != nil {
		var le *located.Error
		require.ErrorAs(t, err, &le)
		require.GreaterOrEqual(t, le.Line, 1)
		return
	}
	require.NotEmpty(t, policies)
	for _, target := range []*harness.Promises{nil, kept, forgetful} {
		for _, f := range lint.Lint(policies, target) {
			require.NotEmpty(t, f.Why)
			require.GreaterOrEqual(t, f.Line, 1)
		}
	}
}

func fuzz(f *testing.F, as string, seeds ...string) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) { reads(t, b, as) })
}

func FuzzDetect(f *testing.F) {
	fuzz(f, "", "retry_on: 5xx\n", "maximumAttempts: 3\n", "a: &a [*a]\n", "[a]\nretry_mode=standard\n")
}
func FuzzDrill(f *testing.F) { fuzz(f, "drill", bounded, "limits: &a {per_class: *a}\n") }
func FuzzTemporal(f *testing.F) {
	fuzz(f, "temporal", "startToCloseTimeout: 1s\nretryPolicy: {maximumAttempts: 3}\n")
}
func FuzzEnvoy(f *testing.F) {
	fuzz(f, "envoy", "route: {timeout: 3s, retry_policy: {retry_on: '5xx,retriable-status-codes', retriable_status_codes: [503]}}\n")
}
func FuzzIstio(f *testing.F) {
	fuzz(f, "istio", "kind: VirtualService\nspec: {http: [{match: [{method: {exact: GET}}], retries: {attempts: 3, retryOn: '5xx,503'}}]}\n")
}
func FuzzGRPC(f *testing.F) {
	fuzz(f, "grpc", `{"methodConfig": [{"retryPolicy": {"maxAttempts": 2, "initialBackoff": "1s", "maxBackoff": "1s", "backoffMultiplier": 1, "retryableStatusCodes": [14]}}]}`)
}
func FuzzNginx(f *testing.F) {
	fuzz(f, "nginx", "http { proxy_next_upstream error 'x' http_500 non_idempotent; proxy_next_upstream_timeout 1m; }\n")
}
func FuzzAWS(f *testing.F) { fuzz(f, "aws", "[default]\nretry_mode = legacy\nmax_attempts = 3\n") }
func FuzzRetryablehttp(f *testing.F) {
	fuzz(f, "go-retryablehttp", "{RetryMax: 3, RetryWaitMax: 2s, Backoff: LinearJitterBackoff}\n")
}
func FuzzAxios(f *testing.F) {
	fuzz(f, "axios-retry", "{retries: 3, retryDelay: exponentialDelay, timeout: 1000}\n")
}
