package sim

import (
	"net/http"
	"time"

	"github.com/retrydrill/drill/harness/tap"
)

// client is the transport of one life. It models net/http's: it keeps connections,
// and sends a request that may be repeated again by itself when a used connection
// dies before any byte of the answer. Its rule is that of net/http
// (persistConn.shouldRetryRequest and Request.isReplayable, Go 1.26).
type client struct {
	life *life
	// within bounds each call; 0 is no bound.
	within time.Duration
}

// RoundTrip implements [http.RoundTripper].
func (c *client) RoundTrip(r *http.Request) (*http.Response, error) {
	if b := c.life.t.bubble; b != nil {
		return b.roundTrip(c, r)
	}
	k := c.call(r)
	resp, err := k.run()
	if err != nil {
		k.heard(0, tap.HeardNothing, failureOf(err))
		return nil, err
	}
	return resp, nil
}

// Within implements [worker.Timed].
func (c *client) Within(d time.Duration) http.RoundTripper {
	l := c.life
	if l.bounded.within == d {
		return &l.bounded
	}
	return &client{l, d}
}

// Finished reports whether nothing of the life's requests is on its way any more: then
// nobody reads them.
func (c *client) Finished(*http.Request) bool { return c.life.in == nil && !c.life.left }

// CloseIdleConnections lets http.Client.CloseIdleConnections reach the transport.
func (c *client) CloseIdleConnections() { c.life.now(func() { c.life.idle = nil }) }

// conn is one connection.
type conn struct {
	number int
	// used counts the requests that it carried.
	used int
}

// connection opens one.
func (t *trial) connection() *conn {
	c := t.conns.Next()
	*c = conn{number: t.conns.Len()}
	return c
}
