package lint

import (
	"time"

	"github.com/retrydrill/drill/harness/policy"
)

var axiosFormat = Format{
	ID:     "axios-retry",
	Doc:    "a description of axios-retry's options: retries, retryCondition, retryDelay, shouldResetTimeout, under axios-retry or alone",
	Source: "https://github.com/softonic/axios-retry#options",
	is: func(c content) bool {
		return c.root("axios-retry", "axiosRetry", "retryCondition", "retryDelay", "shouldResetTimeout")
	},
	read: readAxios,
}

var (
	// axiosNetwork leaves out time-outs (ECONNABORTED), and asks for no method.
	axiosNetwork   = Repeat{Mishaps: []string{"refused", "reset_before_answer", "reset_in_answer"}}
	axiosRetryable = Repeat{Mishaps: []string{"refused", "reset_before_answer", "reset_in_answer"}, Statuses: []int{500, 501, 502, 503, 504}}
)

// axiosConditions are the functions that the package exports.
// https://github.com/softonic/axios-retry/blob/master/src/index.ts
var axiosConditions = map[string][]Repeat{
	"isNetworkError":                    {axiosNetwork},
	"isRetryableError":                  {axiosRetryable},
	"isSafeRequestError":                {idempotent(axiosRetryable)},
	"isIdempotentRequestError":          {idempotent(axiosRetryable)},
	"isNetworkOrIdempotentRequestError": {axiosNetwork, idempotent(axiosRetryable)},
}

func idempotent(r Repeat) Repeat {
	r.OnlyIdempotent = true
	return r
}

func readAxios(d *document, c content) ([]Policy, error) {
	n := under(c.trees[0], "axios-retry", "axiosRetry")
	f := read(d, n, "axios-retry", "retries", "retryCondition", "retryDelay", "shouldResetTimeout", "timeout", "onRetry", "onMaxRetryTimesExceeded", "validateResponse")
	p := Policy{Name: "axios-retry", Place: n.Place, Attempts: 1 + f.count("retries", 3, 0), AttemptsAt: f.at("retries")}
	condition := f.text("retryCondition", "isNetworkOrIdempotentRequestError")
	repeats, ok := axiosConditions[condition]
	if !ok {
		f.fail(f.valueAt("retryCondition"), "retryCondition is %q: expected a function that axios-retry exports; one of your own can not be read", condition)
	}
	for _, r := range repeats {
		r.What, r.Place = condition, f.valueAt("retryCondition")
		p.Repeats = append(p.Repeats, r)
	}
	p.Backoff = Backoff{Place: f.valueAt("retryDelay"), Waits: Yes}
	switch delay := f.text("retryDelay", "noDelay"); delay {
	case "noDelay":
		p.Backoff.Waits = No
	case "exponentialDelay":
		// 100 ms doubled for each, and up to a fifth of it by chance.
		p.Backoff.Jitter = Yes
		p.Backoff.Curve = policy.Backoff{Initial: 240 * time.Millisecond, Factor: 2, Max: 24 * time.Hour}
	case "linearDelay":
		p.Backoff.Jitter = No
		p.Backoff.Curve = policy.Backoff{Initial: 100 * time.Millisecond, Factor: 2, Max: times(100*time.Millisecond, p.Attempts)}
	default:
		f.fail(f.valueAt("retryDelay"), "retryDelay is %q: expected noDelay, exponentialDelay or linearDelay; a function of your own can not be read", delay)
	}
	// The time-out covers all attempts, unless it is reset for each.
	if timeout := f.span("timeout", 0, time.Millisecond); f.yes("shouldResetTimeout") {
		p.Attempt = timeout
	} else {
		p.Budget, p.BudgetAt = timeout, f.at("timeout")
	}
	return []Policy{p}, f.err
}
