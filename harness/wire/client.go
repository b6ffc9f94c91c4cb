package wire

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"

	"github.com/retrydrill/drill/harness"
)

// envClient is the HTTP client of one in-process incarnation: net/http's own
// transport, watched from above, so that what an executor heard, and what its
// transport sent again by itself, is known.
type envClient struct {
	inner http.Transport
	heard func(harness.Event)
	// ending: the incarnation is over, and what it closes now was idle.
	ending atomic.Bool
}

func newEnvClient(heard func(harness.Event)) *http.Client {
	c := &envClient{heard: heard}
	c.inner.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
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
	var sends atomic.Int32
	trace := &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { sends.Add(1) }}
	resp, err := c.inner.RoundTrip(r.WithContext(httptrace.WithClientTrace(r.Context(), trace)))
	if err != nil {
		c.heard(harness.Event{Kind: harness.EvHeard, Sends: int(sends.Load()), Note: "no answer"})
		return nil, err
	}
	resp.Body = &heardBody{ReadCloser: resp.Body, done: func(note string) {
		c.heard(harness.Event{Kind: harness.EvHeard, Sends: int(sends.Load()), Status: resp.StatusCode, Note: note})
	}}
	return resp, nil
}

// CloseIdleConnections lets http.Client.CloseIdleConnections reach the transport.
func (c *envClient) CloseIdleConnections() {
	c.inner.CloseIdleConnections()
}

// end closes what the incarnation left idle.
func (c *envClient) end() {
	c.ending.Store(true)
	c.inner.CloseIdleConnections()
}

// heardBody tells once how the reading of a body ended.
type heardBody struct {
	io.ReadCloser
	told atomic.Bool
	done func(note string)
}

func (b *heardBody) tell(note string) {
	if !b.told.Swap(true) {
		b.done(note)
	}
}

// Read implements io.Reader.
func (b *heardBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) {
		b.tell("whole answer")
	} else if err != nil {
		b.tell("cut answer")
	}
	return n, err
}

// Close implements io.Closer.
func (b *heardBody) Close() error {
	b.tell("closed by the executor")
	return b.ReadCloser.Close()
}
