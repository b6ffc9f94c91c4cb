package wire

import (
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strings"

	"github.com/retrydrill/drill/harness"
)

// refuser is what a worker's HTTP_PROXY names: it refuses every request, and tells
// of it, but for hosts that the target stands in for. So no worker reaches production by
// mistake.
type refuser struct {
	url     string
	server  *http.Server
	tunnels tunnels
}

func newRefuser(s *slot) (*refuser, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("slot: refusing proxy: %w", err)
	}
	r := &refuser{url: "http://" + ln.Addr().String(), tunnels: tunnels{open: map[net.Conn]bool{}}}
	r.server = &http.Server{ErrorLog: log.New(io.Discard, "", 0), Handler: http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		host := q.Host
		b := s.bound.Load()
		if cert := b.certOf(q); cert != nil {
			r.tunnels.serve(w, cert, s.proxy.Listen)
			return
		}
		if b != nil {
			b.host.note(harness.Event{Kind: harness.EvRefused, Worker: b.worker, Incarnation: b.incarnation,
				Delivery: b.delivery, Method: q.Method, Note: "a request to " + host + ", outside of the trial"})
		}
		w.Header().Set("Connection", "close")
		http.Error(w, "drill refuses requests to "+host+": only the trial's own target is reached", http.StatusForbidden)
	})}
	go func() { _ = r.server.Serve(ln) }()
	return r, nil
}

// certOf is the certificate of the host to which a request wants a tunnel, where the
// target stands in for it.
func (b *binding) certOf(q *http.Request) *tls.Certificate {
	if b == nil || b.cert == nil || q.Method != http.MethodConnect {
		return nil
	}
	host, _, err := net.SplitHostPort(q.Host)
	if err != nil {
		host = q.Host
	}
	return b.cert(host)
}

func (r *refuser) close() error {
	r.tunnels.close()
	return r.server.Close()
}

// loopback is where a worker goes past the proxy.
const loopback = "127.0.0.1,localhost,::1"

// environ is what a worker inherits: everything but the proxies, which are the
// refusing one, and loopback goes past it.
func (r *refuser) environ() []string {
	var out []string
	for _, kv := range os.Environ() {
		k, _, _ := strings.Cut(kv, "=")
		if strings.HasSuffix(strings.ToLower(k), "_proxy") || strings.HasPrefix(k, "DRILL_") {
			continue
		}
		out = append(out, kv)
	}
	return append(out, "HTTP_PROXY="+r.url, "HTTPS_PROXY="+r.url, "http_proxy="+r.url, "https_proxy="+r.url,
		"ALL_PROXY="+r.url, "all_proxy="+r.url, "NO_PROXY="+loopback, "no_proxy="+loopback)
}
