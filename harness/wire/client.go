package wire

import (
	"context"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/tap"
)

// envClient is the HTTP client of one in-process incarnation: net/http's own
// transport, watched from above, so that what an executor heard, and what its
// transport sent again by itself, is known.
type envClient struct {
	inner http.Transport
	heard func(harness.Event)
	// unreachable is what a new connection gets in place of one; nil is one.
	unreachable func() error
	// speaks is a scheme that it carries beside http and https, or empty.
	speaks string
	// ending: the incarnation is over, and what it closes now was idle.
	ending atomic.Bool
}

func newEnvClient(p *tap.Protocol, heard func(harness.Event), unreachable func() error) *http.Client {
	c := &envClient{heard: heard, unreachable: unreachable}
	if p != nil {
		c.speaks = p.Scheme
		c.inner.RegisterProtocol(p.Scheme, p.Transport)
	}
	c.inner.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		if err := unreachable(); err != nil {
			return nil, err
		}
		conn, err := (&net.Dialer{}).DialContext(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		return &envConn{conn, c}, nil
	}
	return &http.Client{Transport: c}
}

// envConn leaves no TIME_WAIT behind where it is closed idly at the end.
type envConn struct {
	net.Conn
	client *envClient
}

// Close implements net.Conn.
func (c *envConn) Close() error {
	if c.client.ending.Load() {
		forget(c.Conn)
	}
	return c.Conn.Close()
}

// RoundTrip implements http.RoundTripper.
func (c *envClient) RoundTrip(r *http.Request) (*http.Response, error) {
	if c.unreachable() != nil {
		// Its connections are gone, and a new one is asked for.
		c.inner.CloseIdleConnections()
	}
	var sends atomic.Int32
	trace := &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { sends.Add(1) }}
	resp, err := c.inner.RoundTrip(r.WithContext(httptrace.WithClientTrace(r.Context(), trace)))
	if err != nil {
		c.heard(harness.Event{Kind: harness.EvHeard, Sends: int(sends.Load()), Note: tap.HeardNothing, Failure: tap.FailureOf(err)})
		return nil, err
	}
	resp.Body = &tap.HeardBody{ReadCloser: resp.Body, Done: func(note string, failure harness.Failure) {
		c.heard(harness.Event{Kind: harness.EvHeard, Sends: int(sends.Load()), Status: resp.StatusCode, Note: note, Failure: failure})
	}}
	return resp, nil
}

// Speaks reports whether requests to URLs of that scheme are carried.
func (c *envClient) Speaks(scheme string) bool { return scheme != "" && scheme == c.speaks }

// CloseIdleConnections lets http.Client.CloseIdleConnections reach the transport.
func (c *envClient) CloseIdleConnections() {
	c.inner.CloseIdleConnections()
}

// end closes what the incarnation left idle.
func (c *envClient) end() {
	c.ending.Store(true)
	c.inner.CloseIdleConnections()
}
