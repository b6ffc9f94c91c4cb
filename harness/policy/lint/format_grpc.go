package lint

import (
	"github.com/retrydrill/drill/harness/policy"
)

var grpcFormat = Format{
	ID:     "grpc",
	Doc:    "a gRPC service config: methodConfig with retryPolicy or hedgingPolicy",
	Source: "https://github.com/grpc/proposal/blob/master/A6-client-retries.md",
	is:     func(c content) bool { return c.has("methodConfig") },
	read:   readGRPC,
}

// grpcCap is the client's own cap on maxAttempts, whatever the config says.
const grpcCap = 5

func readGRPC(d *document, c content) (out []Policy, err error) {
	err = c.each(func(_ []string, n *node) error {
		e := n.key("methodConfig")
		if e == nil {
			return nil
		}
		if e.value.kind != sequence {
			return d.errorf(e.Place, "methodConfig is no list")
		}
		for i, m := range e.value.items {
			p, err := grpcMethod(d, m, "methodConfig "+itoa(i+1))
			if err != nil {
				return err
			}
			out = append(out, p...)
		}
		return nil
	})
	return out, err
}

func grpcMethod(d *document, m *node, name string) ([]Policy, error) {
	f := read(d, m, name, "name", "waitForReady", "timeout", "maxRequestMessageBytes", "maxResponseMessageBytes", "retryPolicy", "hedgingPolicy")
	p := Policy{Name: name, Place: m.Place, Budget: f.span("timeout", 0, 0), BudgetAt: f.at("timeout")}
	var inner *fields
	switch retry, hedge := f.get("retryPolicy"), f.get("hedgingPolicy"); {
	case f.err != nil:
	case retry != nil && hedge != nil:
		f.fail(f.at("hedgingPolicy"), "a method has a retryPolicy or a hedgingPolicy, not both")
	case retry != nil:
		inner = grpcRetry(d, retry, &p)
	case hedge != nil:
		inner = grpcHedge(d, hedge, &p)
	default:
		return nil, nil
	}
	if f.err == nil && inner != nil {
		f.err = inner.err
	}
	return []Policy{p}, f.err
}

func grpcRetry(d *document, n *node, p *Policy) *fields {
	f := read(d, n, "retryPolicy", "maxAttempts", "initialBackoff", "maxBackoff", "backoffMultiplier", "retryableStatusCodes", "perAttemptRecvTimeout")
	for _, k := range []string{"maxAttempts", "initialBackoff", "maxBackoff", "backoffMultiplier", "retryableStatusCodes"} {
		if !f.has(k) {
			f.fail(n.Place, "retryPolicy has no %s, and without it the config is refused", k)
		}
	}
	p.Attempts, p.AttemptsAt = min(f.count("maxAttempts", 0, 2), grpcCap), f.at("maxAttempts")
	p.Attempt = f.span("perAttemptRecvTimeout", 0, 0)
	// The wait is random(0, …): full jitter. The server's wish is grpc-retry-pushback-ms.
	p.Backoff = Backoff{Waits: Yes, Jitter: Yes, Place: f.at("initialBackoff"), Curve: policy.Backoff{
		Initial: f.span("initialBackoff", 0, 0), Max: f.span("maxBackoff", 0, 0),
		Factor: f.factor("backoffMultiplier", 1, 0), Jitter: policy.Full}}
	p.Repeats = grpcRepeats(f, "retryableStatusCodes")
	return f
}

func grpcHedge(d *document, n *node, p *Policy) *fields {
	f := read(d, n, "hedgingPolicy", "maxAttempts", "hedgingDelay", "nonFatalStatusCodes")
	if !f.has("maxAttempts") {
		f.fail(n.Place, "hedgingPolicy has no maxAttempts, and without it the config is refused")
	}
	p.Attempts, p.AttemptsAt = min(f.count("maxAttempts", 0, 2), grpcCap), f.at("maxAttempts")
	delay := f.span("hedgingDelay", 0, 0)
	p.Backoff = Backoff{Waits: Unsaid, Curve: policy.Backoff{Initial: delay, Max: delay, Factor: 1}, Place: f.at("hedgingDelay")}
	p.Hedges, p.HedgesAt = true, n.Place
	p.Repeats = grpcRepeats(f, "nonFatalStatusCodes")
	return f
}

func grpcRepeats(f *fields, name string) []Repeat {
	var out []Repeat
	for _, item := range f.list(name) {
		code, ok := findGRPC(item.scalar)
		if !ok {
			f.fail(item.Place, "gRPC has no status code %q", item.scalar)
			return nil
		}
		out = append(out, Repeat{What: code.name, Place: item.Place, Class: code.class})
	}
	return out
}

// onlyIdempotent reports whether a method is idempotent by RFC 9110, 9.2.2.
func onlyIdempotent(method string) bool {
	switch method {
	case "GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE":
		return true
	}
	return false
}
