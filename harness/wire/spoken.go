package wire

import (
	"context"
	"net"
	"net/http"

	"github.com/retrydrill/drill/harness/tap"
)

// serveConns hands the connections of a host whose target does not speak HTTP to its
// protocol, and lets the HTTP server have the rest.
type serveConns struct{ *listener }

// Accept implements net.Listener.
func (l serveConns) Accept() (net.Conn, error) {
	for {
		raw, err := l.listener.Accept()
		if err != nil {
			return nil, err
		}
		c := raw.(*conn)
		p := c.protocol()
		if p == nil {
			return c, nil
		}
		go p.Serve(c, http.HandlerFunc(c.spoken))
	}
}

// protocol is what is spoken on the connection where that is not HTTP.
func (c *conn) protocol() *tap.Protocol {
	if c.by == nil {
		return nil
	}
	return c.by.host.protocol()
}

// spoken serves one request of a protocol, and keeps the connection's state as
// net/http does: it is idle again once its answer is out, which shows in that the
// protocol reads on.
func (c *conn) spoken(w http.ResponseWriter, r *http.Request) {
	c.slot.turned(c, http.StateActive)
	defer c.answered.Store(true)
	c.slot.serve(w, r.WithContext(context.WithValue(r.Context(), connKey{}, c)))
}
