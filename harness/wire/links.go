package wire

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	toxiproxy "github.com/Shopify/toxiproxy/v2"
	"github.com/Shopify/toxiproxy/v2/toxics"
)

// links decides of which kind the links of a slot are: whether their close is a FIN
// or a RST is settled when a link starts. A trial knows its schedule before; where
// lines are armed on the way, links of the wrong kind have to give way.
type links struct {
	all *toxiproxy.ToxicCollection
	rst *toxics.ToxicWrapper
	// mu guards kind; it is held while links give way.
	mu   sync.Mutex
	kind linkKind
}

// linkKind is the kind of a slot's links.
type linkKind int

const (
	finLinks linkKind = iota
	rstLinks
	// mixedLinks: new ones close with a FIN, and older ones may close with a RST.
	mixedLinks
)

func newLinks(all *toxiproxy.ToxicCollection, rst *toxics.ToxicWrapper) *links {
	l := &links{all: all, rst: rst}
	l.become(false)
	return l
}

// become sets the kind of links that start from now on. Toxiproxy looks for the type
// of reset_peer under this lock when a link starts; with toxicity 0 nothing else of
// the toxic is ever used, so that live links see no change.
func (l *links) become(rst bool) {
	l.all.Lock()
	defer l.all.Unlock()
	l.rst.Toxic = new(toxics.NoopToxic)
	if rst {
		l.rst.Toxic = new(toxics.ResetToxic)
	}
}

// turn lets every link be of the kind: later ones start so, idle ones are ended, and
// busy ones end after the answer that is due.
func (s *slot) turn(ctx context.Context, rst bool) error {
	l := s.links
	want := finLinks
	if rst {
		want = rstLinks
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.kind == want {
		return nil
	}
	l.become(rst)
	// Of whatever kind the others are, they are at the tap after this.
	if err := s.fence(ctx); err != nil {
		return err
	}
	if err := s.retire(ctx); err != nil {
		return err
	}
	l.kind = want
	return nil
}

// relax lets later links close with a FIN; no link ends for it.
func (s *slot) relax() {
	l := s.links
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.kind == rstLinks {
		l.become(false)
		l.kind = mixedLinks
	}
}

// retire ends every connection: at once where it is idle, else after its answer. It
// returns when the idle ones are closed at both ends.
func (s *slot) retire(ctx context.Context) error {
	var idle []*conn
	s.mu.Lock()
	for c := range s.conns {
		c.retired = true
		if c.state == http.StateNew || c.state == http.StateIdle {
			c.shutDown()
			idle = append(idle, c)
		}
	}
	s.mu.Unlock()
	return over(ctx, idle)
}

// over waits for the end of connections.
func over(ctx context.Context, conns []*conn) error {
	for _, c := range conns {
		select {
		case <-c.gone:
		case <-ctx.Done():
			return errors.New("slot: a connection does not end")
		}
	}
	return nil
}

// shutDown ends an idle connection: the proxy closes the client's side when it sees
// the end of ours, and then ours. It is called under the slot's lock.
func (c *conn) shutDown() {
	c.shut = true
	c.closeWrite()
}

// hangUpPatience bounds the wait for a client that does not read.
const hangUpPatience = time.Second

// hangUp waits until the proxy has passed on all that was written, so that the end
// of the slot cuts no answer off.
func (c *conn) hangUp() {
	_ = c.Conn.SetReadDeadline(time.Now().Add(hangUpPatience))
	c.closeWrite()
	_, _ = io.Copy(io.Discard, c.Conn)
}

func (c *conn) closeWrite() {
	if w, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		_ = w.CloseWrite()
	}
}

func (s *slot) isOver() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.over
}

// turned keeps net/http's state of a connection. One whose answer was already on its
// way when it was retired ends here.
func (s *slot) turned(raw net.Conn, state http.ConnState) {
	c := raw.(*conn)
	s.mu.Lock()
	defer s.mu.Unlock()
	c.state = state
	if state == http.StateIdle && c.retired && !c.shut {
		c.shutDown()
	}
}

// retired reports whether the connection of this number gives way.
func (s *slot) retired(number int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		if c.number == number {
			return c.retired
		}
	}
	return true
}

func (c *conn) isRetired() bool {
	c.slot.mu.Lock()
	defer c.slot.mu.Unlock()
	return c.retired
}

func (c *conn) isShut() bool {
	c.slot.mu.Lock()
	defer c.slot.mu.Unlock()
	return c.shut
}

// parting is the ResponseWriter of a connection that may be retired while its answer
// is on the way.
type parting struct {
	http.ResponseWriter
	conn *conn
}

// Unwrap lets http.ResponseController reach the connection.
func (p *parting) Unwrap() http.ResponseWriter { return p.ResponseWriter }

// WriteHeader tells the client that the connection ends after this answer.
func (p *parting) WriteHeader(status int) {
	if p.conn.isRetired() {
		p.Header().Set("Connection", "close")
	}
	p.ResponseWriter.WriteHeader(status)
}
