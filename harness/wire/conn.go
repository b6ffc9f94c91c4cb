package wire

import (
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
)

// conn is one connection at the tap's server, behind the proxy.
type conn struct {
	net.Conn
	slot  *slot
	by    *binding
	used  atomic.Int32
	ended atomic.Bool
	once  sync.Once
	// gone is closed once the connection is.
	gone chan struct{}
	// What follows is guarded by the slot's lock. number is its own once it has carried a
	// request; state is net/http's; retired: it ends after its answer; shut: nothing is
	// answered on it any more.
	number        int
	state         http.ConnState
	retired, shut bool
	// answered: a request in another protocol than HTTP was dealt with, and the next
	// read is for another one.
	answered atomic.Bool
}

// Read implements net.Conn.
func (c *conn) Read(p []byte) (int, error) {
	if c.answered.Swap(false) {
		c.slot.turned(c, http.StateIdle)
	}
	n, err := c.Conn.Read(p)
	if errors.Is(err, io.EOF) {
		c.ended.Store(true)
	}
	return n, err
}

// Close implements net.Conn. Where the proxy has closed before, nothing can be on
// its way any more, and a RST leaves no socket in TIME_WAIT: thousands of those
// would slow every later trial.
func (c *conn) Close() error {
	switch {
	case c.ended.Load():
		forget(c.Conn)
	case c.slot.links != nil && !c.slot.isOver():
		c.hangUp()
	}
	err := c.Conn.Close()
	c.once.Do(func() {
		c.slot.mu.Lock()
		delete(c.slot.conns, c)
		c.slot.mu.Unlock()
		close(c.gone)
		if c.by != nil {
			c.by.host.stir()
		}
	})
	return err
}

// listener marks each connection with the life that may have opened it.
type listener struct {
	net.Listener
	slot *slot
}

// Accept implements net.Listener.
func (l *listener) Accept() (net.Conn, error) {
	raw, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c := &conn{Conn: raw, slot: l.slot, by: l.slot.bound.Load(), gone: make(chan struct{})}
	l.slot.mu.Lock()
	l.slot.conns[c] = true
	l.slot.mu.Unlock()
	return c, nil
}

type connKey struct{}

// connOf is the connection that a request came on.
func connOf(r *http.Request) *conn { return r.Context().Value(connKey{}).(*conn) }

// forget lets the connection's close be a RST, after which no TIME_WAIT is kept.
func forget(c net.Conn) {
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
}
