package wire

import (
	"errors"
	"io"
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
func (c *envClient) CloseIdleConnections() { c.inner.CloseIdleConnections() }

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
