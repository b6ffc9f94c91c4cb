package lint

import (
	"time"

	"github.com/retrydrill/drill/harness/policy"
)

var retryablehttpFormat = Format{
	ID:     "go-retryablehttp",
	Doc:    "a description of a go-retryablehttp client: RetryMax, RetryWaitMin, RetryWaitMax, CheckRetry, Backoff, under go-retryablehttp or alone",
	Source: "https://pkg.go.dev/github.com/hashicorp/go-retryablehttp#Client",
	is: func(c content) bool {
		return c.root("go-retryablehttp", "retryablehttp", "RetryMax", "RetryWaitMin", "RetryWaitMax", "CheckRetry")
	},
	read: readRetryablehttp,
}

// readRetryablehttp: the defaults are those of v0.7.8. A method is no matter: a POST
// is repeated like a GET.
func readRetryablehttp(d *document, c content) ([]Policy, error) {
	n := under(c.trees[0], "go-retryablehttp", "retryablehttp")
	f := read(d, n, "go-retryablehttp", "RetryMax", "RetryWaitMin", "RetryWaitMax", "CheckRetry", "Backoff", "ErrorHandler", "Timeout")
	p := Policy{Name: "go-retryablehttp", Place: n.Place, Attempts: 1 + f.count("RetryMax", 4, 0), AttemptsAt: f.at("RetryMax"),
		// The time-out of the http.Client below it is one attempt's.
		Attempt: f.span("Timeout", 0, 0)}
	switch check := f.text("CheckRetry", "DefaultRetryPolicy"); check {
	case "DefaultRetryPolicy", "ErrorPropagatedRetryPolicy":
		p.Repeats = []Repeat{{What: check, Place: f.valueAt("CheckRetry"),
			Statuses: []int{429, 500, 502, 503, 504, 505, 506, 507, 508, 510, 511},
			Mishaps:  []string{"refused", "connect_timeout", "dns", "reset_before_answer", "reset_in_answer", "timeout"}}}
	default:
		f.fail(f.valueAt("CheckRetry"), "CheckRetry is %q: expected DefaultRetryPolicy or ErrorPropagatedRetryPolicy; a function of your own can not be read", check)
	}
	low, high := f.span("RetryWaitMin", time.Second, 0), f.span("RetryWaitMax", 30*time.Second, 0)
	p.Backoff = Backoff{Waits: said(high > 0), Place: f.valueAt("Backoff"),
		Curve: policy.Backoff{Initial: min(low, high), Factor: 2, Max: high}}
	p.RetryAfterAt = f.valueAt("Backoff")
	switch b := f.text("Backoff", "DefaultBackoff"); b {
	case "DefaultBackoff":
		p.Backoff.Jitter, p.RetryAfter = No, Yes
	case "LinearJitterBackoff":
		p.Backoff.Jitter, p.RetryAfter = said(high > low), No
	case "RateLimitLinearJitterBackoff":
		p.Backoff.Jitter, p.RetryAfter = said(high > low), Yes
	default:
		f.fail(f.valueAt("Backoff"), "Backoff is %q: expected DefaultBackoff, LinearJitterBackoff or RateLimitLinearJitterBackoff; a function of your own can not be read", b)
	}
	// A linear back-off grows with the attempt, from a number between the two.
	if p.RetryAfter == No || p.Backoff.Jitter != No {
		p.Backoff.Curve.Max = times(high, p.Attempts)
	}
	return []Policy{p}, f.err
}

// under is the mapping under the first of the names that is there, or the whole.
func under(n *node, names ...string) *node {
	for _, name := range names {
		if e := n.key(name); e != nil {
			return e.value
		}
	}
	return n
}
