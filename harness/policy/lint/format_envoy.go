package lint

import (
	"strings"
	"time"

	"github.com/retrydrill/drill/harness/policy"
)

var envoyFormat = Format{
	ID:     "envoy",
	Doc:    "Envoy's retry_policy, on a route, a virtual host, or alone",
	Source: "https://www.envoyproxy.io/docs/envoy/latest/api-v3/config/route/v3/route_components.proto#config-route-v3-retrypolicy",
	is: func(c content) bool {
		return c.has("retryOn", "numRetries") || c.has("hedgePolicy")
	},
	read: readEnvoy,
}

func readEnvoy(d *document, c content) (out []Policy, err error) {
	add := func(name string, around, n *node) error {
		p, err := envoyPolicy(d, name, around, n)
		if err == nil {
			out = append(out, p)
		}
		return err
	}
	err = c.each(func(path []string, n *node) error {
		if e := n.key("retryPolicy"); e != nil && !e.value.null {
			return add(strings.Join(path, "."), n, e.value)
		}
		if len(path) == 0 && (n.key("retryOn") != nil || n.key("numRetries") != nil) {
			return add("", n, n)
		}
		return nil
	})
	return out, err
}

// envoyPolicy reads one retry_policy; around is the route or virtual host.
func envoyPolicy(d *document, name string, around, n *node) (Policy, error) {
	f := read(d, n, "retry_policy", "retryOn", "numRetries", "perTryTimeout", "perTryIdleTimeout", "retryPriority", "retryHostPredicate",
		"retryOptionsPredicates", "hostSelectionRetryMaxAttempts", "retriableStatusCodes", "retryBackOff", "rateLimitedRetryBackOff",
		"retriableHeaders", "retriableRequestHeaders")
	p := Policy{Name: name, Place: n.Place}
	if f.err != nil {
		return p, f.err
	}
	// num_retries are those after the first; the default is 1.
	p.Attempts, p.AttemptsAt = 1+f.count("numRetries", 1, 0), f.at("numRetries")
	p.Attempt = f.span("perTryTimeout", 0, 0)
	var codes []int
	for _, item := range f.list("retriableStatusCodes") {
		code, ok := duration(item.scalar, 1)
		if !ok || code < 100 || code > 599 {
			f.fail(item.Place, "%q is no status", item.scalar)
		}
		codes = append(codes, int(code))
	}
	p.Repeats = envoyRepeats(f, f.text("retryOn", ""), f.valueAt("retryOn"), codes, false)
	if envoyOnlyIdempotent(f.get("retriableRequestHeaders")) {
		for i := range p.Repeats {
			p.Repeats[i].OnlyIdempotent = true
		}
	}
	// "A fully jittered exponential back-off" of 25 ms, capped at ten times that.
	p.Backoff = Backoff{Waits: Yes, Jitter: Yes, Place: f.at("retryBackOff"),
		Curve: policy.Backoff{Initial: 25 * time.Millisecond, Factor: 2, Max: 250 * time.Millisecond, Jitter: policy.Full}}
	if b := f.get("retryBackOff"); b != nil {
		g := read(d, b, "retry_back_off", "baseInterval", "maxInterval")
		base := g.span("baseInterval", 25*time.Millisecond, 0)
		p.Backoff.Curve.Initial, p.Backoff.Curve.Max = base, g.span("maxInterval", times(base, 10), 0)
		if f.err == nil {
			f.err = g.err
		}
	}
	p.RetryAfter, p.RetryAfterAt = said(f.has("rateLimitedRetryBackOff")), f.valueAt("retryOn")
	return p, firstError(f.err, envoyAround(d, around, &p))
}

// envoyAround reads the time-out and the hedging of the route. The time-out covers
// all attempts.
func envoyAround(d *document, around *node, p *Policy) error {
	if e := around.key("timeout"); e != nil && e.value.kind == scalar && !e.value.null {
		v, ok := duration(e.value.scalar, 0)
		if !ok {
			return d.errorf(e.value.Place, "timeout: %q is no duration", e.value.scalar)
		}
		p.Budget, p.BudgetAt = v, e.value.Place
	}
	if e := around.key("hedgePolicy"); e != nil {
		if h := e.value.key("hedgeOnPerTryTimeout"); h != nil && h.value.scalar == "true" {
			p.Hedges, p.HedgesAt = true, h.Place
		}
	}
	return nil
}

// envoyOnlyIdempotent reports whether the request headers that are asked for leave
// idempotent methods alone.
func envoyOnlyIdempotent(n *node) bool {
	if n == nil || len(n.items) == 0 {
		return false
	}
	for _, item := range n.items {
		name, exact := item.key("name"), item.key("exactMatch")
		if s := item.key("stringMatch"); s != nil {
			exact = s.value.key("exact")
		}
		if name == nil || name.value.scalar != ":method" || exact == nil || !onlyIdempotent(exact.value.scalar) {
			return false
		}
	}
	return true
}

// valueAt is where the field's value stands.
func (f *fields) valueAt(name string) Place {
	if n := f.get(name); n != nil {
		return n.Place
	}
	return f.node.Place
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
