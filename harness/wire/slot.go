package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"

	toxiproxy "github.com/Shopify/toxiproxy/v2"
	"golang.org/x/sys/unix"

	"github.com/retrydrill/drill/harness"
)

// slot is one place in which a worker runs: a Toxiproxy with a port that survives
// restarts, and the tap's own server behind it. Slots are pooled.
type slot struct {
	id     int
	armed  bool
	proxy  *toxiproxy.Proxy
	server *http.Server
	cutter *cutter
	url    string
	// hold keeps the port while the proxy is down.
	hold    int
	refuser *refuser

	// bound is who uses the slot now.
	bound atomic.Pointer[binding]

	mu    sync.Mutex
	conns map[*conn]bool
	down  bool
}

// binding says whose connections are accepted.
type binding struct {
	host        host
	worker      int
	incarnation int
	delivery    int
}

// host is whose slot it is: a trial, or a stand.
type host interface {
	// opened numbers a new connection.
	opened() int
	// stir tells that a connection is gone.
	stir()
	// note records what happened beside the tap.
	note(harness.Event)
	// serve carries one request.
	serve(w http.ResponseWriter, r *http.Request, e harness.Event)
}

// conn is one connection at the tap's server, behind the proxy.
type conn struct {
	net.Conn
	slot   *slot
	by     *binding
	number int
	used   atomic.Int32
	ended  atomic.Bool
	once   sync.Once
}

// Read implements net.Conn.
func (c *conn) Read(p []byte) (int, error) {
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
	if c.ended.Load() {
		forget(c.Conn)
	}
	err := c.Conn.Close()
	c.once.Do(func() {
		c.slot.mu.Lock()
		delete(c.slot.conns, c)
		c.slot.mu.Unlock()
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
	c := &conn{Conn: raw, slot: l.slot, by: l.slot.bound.Load()}
	if c.by != nil {
		c.number = c.by.host.opened()
	}
	l.slot.mu.Lock()
	l.slot.conns[c] = true
	l.slot.mu.Unlock()
	return c, nil
}

type connKey struct{}

func newSlot(server *toxiproxy.ApiServer, id int, armed bool) (*slot, error) {
	s := &slot{id: id, armed: armed, cutter: newCutter(), conns: map[*conn]bool{}, hold: -1}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("slot: tap: %w", err)
	}
	s.server = &http.Server{
		Handler:     http.HandlerFunc(s.serve),
		ConnContext: func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, connKey{}, c) },
		ErrorLog:    log.New(io.Discard, "", 0),
	}
	go func() { _ = s.server.Serve(&listener{ln, s}) }()
	if err := s.reserve(); err != nil {
		_ = s.server.Close()
		return nil, err
	}
	cutters.Store(id, s.cutter)
	s.proxy = toxiproxy.NewProxy(server, fmt.Sprintf("slot%d", id), s.url, ln.Addr().String())
	if err := s.proxy.Start(); err != nil {
		_ = s.close()
		return nil, fmt.Errorf("slot: proxy: %w", err)
	}
	toxics := []string{fmt.Sprintf(`{"name":"cut","type":%q,"stream":"downstream","toxicity":1,"attributes":{"slot":%d}}`, toxicName, id)}
	if armed {
		// Toxicity 0: all data passes, but the link starts with linger 0, so that its
		// close is a RST.
		toxics = append(toxics, `{"name":"rst","type":"reset_peer","stream":"downstream","toxicity":0}`)
	}
	for _, t := range toxics {
		if _, err := s.proxy.Toxics.AddToxicJson(strings.NewReader(t)); err != nil {
			_ = s.close()
			return nil, fmt.Errorf("slot: toxic: %w", err)
		}
	}
	if s.refuser, err = newRefuser(s); err != nil {
		_ = s.close()
		return nil, err
	}
	s.url = "http://" + s.url
	return s, nil
}

// reserve binds a socket that never listens: nobody else gets the port, and while
// the proxy is down a connection is refused.
func (s *slot) reserve() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("slot: placeholder: %w", err)
	}
	s.hold = fd
	if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEADDR, 1); err != nil {
		return fmt.Errorf("slot: placeholder: %w", err)
	}
	if err := unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return fmt.Errorf("slot: placeholder: %w", err)
	}
	sa, err := unix.Getsockname(fd)
	if err != nil {
		return fmt.Errorf("slot: placeholder: %w", err)
	}
	s.url = fmt.Sprintf("127.0.0.1:%d", sa.(*unix.SockaddrInet4).Port)
	return nil
}

// takeDown closes live links and refuses new ones; bringUp ends that.
func (s *slot) takeDown() {
	s.closeConns()
	s.proxy.Stop()
	s.down = true
}

func (s *slot) bringUp() error {
	if !s.down {
		return nil
	}
	if err := s.proxy.Start(); err != nil {
		return fmt.Errorf("slot: proxy does not come back: %w", err)
	}
	s.down = false
	return nil
}

func (s *slot) closeConns() {
	s.mu.Lock()
	open := make([]*conn, 0, len(s.conns))
	for c := range s.conns {
		open = append(open, c)
	}
	s.mu.Unlock()
	for _, c := range open {
		_ = c.Close()
	}
}

// open returns how many connections there are.
func (s *slot) open() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.conns)
}

// fence proves that every connection which was opened before has reached the tap:
// proxy and server accept in order, so once one of our own has, all have.
func (s *slot) fence(ctx context.Context) error {
	if s.down {
		return nil
	}
	d := net.Dialer{}
	c, err := d.DialContext(ctx, "tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		return fmt.Errorf("slot: fence: %w", err)
	}
	defer c.Close()
	forget(c)
	if deadline, ok := ctx.Deadline(); ok {
		_ = c.SetDeadline(deadline)
	}
	if _, err := io.WriteString(c, "GET "+fencePath+" HTTP/1.1\r\nHost: fence\r\n\r\n"); err != nil {
		return fmt.Errorf("slot: fence: %w", err)
	}
	if _, err := c.Read(make([]byte, 512)); err != nil {
		return fmt.Errorf("slot: fence: %w", err)
	}
	return nil
}

// forget lets the connection's close be a RST, after which no TIME_WAIT is kept.
func forget(c net.Conn) {
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
}

const fencePath = "/.drill/fence"

// serve dispatches a request to the host that its connection belongs to.
func (s *slot) serve(w http.ResponseWriter, r *http.Request) {
	c := r.Context().Value(connKey{}).(*conn)
	warm := c.used.Add(1) > 1
	if r.URL.Path == fencePath && r.Host == "fence" {
		return
	}
	if c.by == nil {
		panic(http.ErrAbortHandler)
	}
	now := s.bound.Load()
	e := harness.Event{Worker: c.by.worker, Incarnation: c.by.incarnation, Delivery: c.by.delivery, Conn: c.number, Warm: warm}
	if now == nil || now.host != c.by.host || now.incarnation != c.by.incarnation {
		e.Kind, e.Method, e.Path, e.Note = harness.EvRefused, r.Method, r.URL.Path, "a request of an older incarnation"
		c.by.host.note(e)
		panic(http.ErrAbortHandler)
	}
	// A life that goes on keeps its connections from one delivery to the next.
	e.Delivery = now.delivery
	c.by.host.serve(w, r, e)
}

func (s *slot) close() error {
	var err error
	if s.proxy != nil {
		s.proxy.Stop()
	}
	if s.server != nil {
		err = s.server.Close()
	}
	s.closeConns()
	if s.refuser != nil {
		err = errors.Join(err, s.refuser.close())
	}
	if s.hold >= 0 {
		err = errors.Join(err, unix.Close(s.hold))
	}
	cutters.Delete(s.id)
	return err
}
