package lint

import (
	"time"

	"github.com/retrydrill/drill/harness/policy"
)

var istioFormat = Format{
	ID:     "istio",
	Doc:    "the retries of an Istio VirtualService",
	Source: "https://istio.io/latest/docs/reference/config/networking/virtual-service/#HTTPRetry",
	is: func(c content) bool {
		for _, tree := range c.trees {
			if k := tree.key("kind"); k != nil && k.value.scalar == "VirtualService" {
				return true
			}
			if r := tree.key("retries"); r != nil && (r.value.key("attempts") != nil || r.value.key("perTryTimeout") != nil || r.value.key("retryOn") != nil) {
				return true
			}
		}
		return false
	},
	read: readIstio,
}

// istioDefault is what holds for a route that says nothing.
const istioDefault = "connect-failure,refused-stream,unavailable,cancelled"

func readIstio(d *document, c content) ([]Policy, error) {
	var out []Policy
	for _, tree := range c.trees {
		if k := tree.key("kind"); k != nil && k.value.scalar != "VirtualService" {
			continue
		}
		routes, name := []*node{tree}, ""
		if spec := tree.key("spec"); spec != nil {
			h := spec.value.key("http")
			if h == nil {
				continue
			}
			if h.value.kind != sequence {
				return nil, d.errorf(h.Place, "http is no list")
			}
			routes, name = h.value.items, "http route "
		}
		for i, r := range routes {
			what := name
			if name != "" {
				what += itoa(i + 1)
			}
			p, err := istioRoute(d, what, r)
			if err != nil {
				return nil, err
			}
			out = append(out, p)
		}
	}
	return out, nil
}

func istioRoute(d *document, name string, r *node) (Policy, error) {
	p := Policy{Name: name, Place: r.Place}
	if r.kind != mapping {
		return p, d.errorf(r.Place, "the route is no mapping")
	}
	// A route without retries gets two, by default.
	f, retries := &fields{d: d, node: r, seen: map[string]*entry{}}, r.key("retries")
	if retries != nil && !retries.value.null {
		f = read(d, retries.value, "retries", "attempts", "perTryTimeout", "retryOn", "retryRemoteLocalities", "retryIgnorePreviousHosts", "backoff")
	}
	p.Attempts, p.AttemptsAt = 1+f.count("attempts", 2, 0), f.at("attempts")
	p.Attempt = f.span("perTryTimeout", 0, 0)
	// "503" alone stands for retriable-status-codes with that status.
	p.Repeats = envoyRepeats(f, f.text("retryOn", istioDefault), f.valueAt("retryOn"), nil, true)
	if istioOnlyIdempotent(r.key("match")) {
		for i := range p.Repeats {
			p.Repeats[i].OnlyIdempotent = true
		}
	}
	base := f.span("backoff", 25*time.Millisecond, 0)
	p.Backoff = Backoff{Waits: Yes, Jitter: Yes, Place: f.at("backoff"),
		Curve: policy.Backoff{Initial: base, Factor: 2, Max: times(base, 10), Jitter: policy.Full}}
	// HTTPRetry has no field for Envoy's rate_limited_retry_back_off.
	p.RetryAfter, p.RetryAfterAt = No, f.valueAt("retryOn")
	return p, firstError(f.err, envoyAround(d, r, &p))
}

// istioOnlyIdempotent: every match of the route names an idempotent method.
func istioOnlyIdempotent(match *entry) bool {
	if match == nil || len(match.value.items) == 0 {
		return false
	}
	for _, m := range match.value.items {
		method := m.key("method")
		if method == nil {
			return false
		}
		if exact := method.value.key("exact"); exact == nil || !onlyIdempotent(exact.value.scalar) {
			return false
		}
	}
	return true
}
