package lint

import (
	"strconv"
	"strings"

	"github.com/retrydrill/drill/harness"
)

// envoyConditions are the words of retry_on, as data.
// https://www.envoyproxy.io/docs/envoy/latest/configuration/http/http_filters/router_filter#x-envoy-retry-on
var envoyConditions = map[string]Repeat{
	"5xx": {Statuses: []int{500, 501, 502, 503, 504, 505, 506, 507, 508, 510, 511},
		Mishaps: []string{"refused", "connect_timeout", "refused_stream", "reset_before_answer", "timeout"}},
	"gateway-error":          {Statuses: []int{502, 503, 504}},
	"reset":                  {Mishaps: []string{"reset_before_answer", "timeout"}},
	"reset-before-request":   {Class: harness.NeverDispatched},
	"connect-failure":        {Mishaps: []string{"refused", "connect_timeout"}},
	"refused-stream":         {Mishaps: []string{"refused_stream"}},
	"envoy-ratelimited":      {Statuses: []int{429}},
	"retriable-4xx":          {Statuses: []int{409}},
	"retriable-status-codes": {},
	"retriable-headers":      {Class: harness.Unknown},
	// The request was sent, and the connection failed afterwards.
	"http3-post-connect-failure": {Class: harness.Unknown},
}

// envoyGRPC are the words that name a gRPC status.
// https://www.envoyproxy.io/docs/envoy/latest/configuration/http/http_filters/router_filter#x-envoy-retry-grpc-on
var envoyGRPC = []string{"cancelled", "deadline-exceeded", "internal", "resource-exhausted", "unavailable"}

// envoyRepeats reads a list of conditions with commas. Where numbers is set, as in
// Istio, a status may stand there itself.
func envoyRepeats(f *fields, retryOn string, at Place, codes []int, numbers bool) []Repeat {
	var out []Repeat
	for w := range strings.SplitSeq(retryOn, ",") {
		w = strings.TrimSpace(w)
		if w == "" {
			continue
		}
		r, ok := envoyConditions[w]
		for _, g := range envoyGRPC {
			if w == g {
				code, _ := findGRPC(w)
				r, ok = Repeat{Class: code.class}, true
			}
		}
		if n, err := strconv.Atoi(w); !ok && numbers && err == nil && n >= 200 && n < 600 {
			r, ok = Repeat{Statuses: []int{n}}, true
		}
		if !ok {
			f.fail(at, "there is no condition %q", w)
			return nil
		}
		if w == "retriable-status-codes" {
			r.Statuses = codes
		}
		r.What, r.Place = w, at
		out = append(out, r)
	}
	return out
}
