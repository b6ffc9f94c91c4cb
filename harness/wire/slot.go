package wire

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	toxiproxy "github.com/Shopify/toxiproxy/v2"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/tap"
	"github.com/retrydrill/drill/internal/port"
)

// slot is one place in which a worker runs: a Toxiproxy with a port that survives
// restarts, and the tap's own server behind it. Slots are pooled.
type slot struct {
	id     int
	armed  bool
	proxy  *toxiproxy.Proxy
	server *http.Server
	cutter *cutter
	// address is host and port as workers get them.
	address string
	// hold keeps the port while the proxy is down; nil for a slot that stands by itself.
	hold    *port.Held
	refuser *refuser

	// links switches the kind of later links; nil where that is fixed.
	links *links

	// bound is who uses the slot now.
	bound atomic.Pointer[binding]

	mu    sync.Mutex
	conns map[*conn]bool
	down  bool
	// over: nothing is waited for any more.
	over bool
}

// binding says whose connections are accepted.
type binding struct {
	host        host
	worker      int
	incarnation int
	delivery    int
	// cert is that of a host whose HTTPS is the target's, or nil; no cert is none.
	cert func(host string) *tls.Certificate
}

// host is whose slot it is: a trial, or a stand.
type host interface {
	// protocol is what its target speaks; nil is HTTP.
	protocol() *tap.Protocol
	// opened numbers a connection at its first request.
	opened() int
	// stir tells that a connection is gone.
	stir()
	// note records what happened beside the tap.
	note(harness.Event)
	// serve carries one request.
	serve(w http.ResponseWriter, r *http.Request, e harness.Event)
}

// slotOptions say what a slot is for.
type slotOptions struct {
	// armed: closes are RSTs.
	armed bool
	// listen is where a slot listens that stands by itself: it has no worker to keep
	// from other hosts, is never down, and its links can be of either kind. Empty
	// takes a port of loopback.
	listen string
}

// newSlot opens a slot with a number of its own.
func newSlot(server *toxiproxy.ApiServer, o slotOptions) (*slot, error) {
	slotNumbers.Lock()
	slotNumbers.n++
	id := slotNumbers.n
	slotNumbers.Unlock()
	s := &slot{id: id, armed: o.armed, cutter: newCutter(), conns: map[*conn]bool{}, address: o.listen}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("slot: tap: %w", err)
	}
	s.server = &http.Server{
		Handler:     http.HandlerFunc(s.serve),
		ConnContext: func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, connKey{}, c) },
		ErrorLog:    log.New(io.Discard, "", 0),
	}
	if o.listen == "" {
		err = s.reserve()
	} else {
		s.server.ConnState = s.turned
	}
	go func() { _ = s.server.Serve(serveConns{&listener{ln, s}}) }()
	if err != nil {
		_ = s.server.Close()
		return nil, err
	}
	cutters.Store(id, s.cutter)
	s.proxy = toxiproxy.NewProxy(server, fmt.Sprintf("slot%d", id), s.address, ln.Addr().String())
	if err := s.proxy.Start(); err != nil {
		_ = s.close()
		return nil, fmt.Errorf("slot: proxy: %w", err)
	}
	if err := s.lay(o); err != nil {
		_ = s.close()
		return nil, err
	}
	if o.listen == "" {
		if s.refuser, err = newRefuser(s); err != nil {
			_ = s.close()
			return nil, err
		}
	}
	s.address = s.proxy.Listen
	return s, nil
}

// lay puts the toxics on the slot's links: the one that cuts, and the one that arms.
func (s *slot) lay(o slotOptions) error {
	toxics := []string{fmt.Sprintf(`{"name":"cut","type":%q,"stream":"downstream","toxicity":1,"attributes":{"slot":%d}}`, toxicName, s.id)}
	if o.armed || o.listen != "" {
		// Toxicity 0: all data passes, but the link starts with linger 0, so that its
		// close is a RST.
		toxics = append(toxics, `{"name":"rst","type":"reset_peer","stream":"downstream","toxicity":0}`)
	}
	for _, t := range toxics {
		added, err := s.proxy.Toxics.AddToxicJson(strings.NewReader(t))
		if err != nil {
			return fmt.Errorf("slot: toxic: %w", err)
		}
		if o.listen != "" && added.Name == "rst" {
			s.links = newLinks(s.proxy.Toxics, added)
		}
	}
	return nil
}

// reserve keeps a port: nobody else gets it, and while the proxy is down a connection
// is refused.
func (s *slot) reserve() (err error) {
	if s.hold, err = port.Hold(); err != nil {
		return fmt.Errorf("slot: placeholder: %w", err)
	}
	s.address = s.hold.Address()
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
	for _, c := range s.snapshot() {
		_ = c.Close()
	}
}

func (s *slot) snapshot() []*conn {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Keys(s.conns))
}

// open returns how many connections there are.
func (s *slot) open() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.conns)
}

// url is the target as workers get it.
func (s *slot) url(p *tap.Protocol) string {
	scheme := "http"
	if p != nil {
		scheme = p.Scheme
	}
	return scheme + "://" + s.address
}

// serve dispatches a request to the host that its connection belongs to.
func (s *slot) serve(w http.ResponseWriter, r *http.Request) {
	c := connOf(r)
	warm := c.used.Add(1) > 1
	if r.URL.Path == fencePath && r.Host == "fence" {
		return
	}
	if c.by == nil {
		panic(http.ErrAbortHandler)
	}
	if !warm {
		s.mu.Lock()
		c.number = c.by.host.opened()
		s.mu.Unlock()
	}
	now := s.bound.Load()
	e := harness.Event{Worker: c.by.worker, Incarnation: c.by.incarnation, Delivery: c.by.delivery, Conn: c.number, Warm: warm}
	older := now == nil || now.host != c.by.host || now.incarnation != c.by.incarnation
	if older || c.isShut() {
		e.Kind, e.Method, e.Path, e.Note = harness.EvRefused, r.Method, r.URL.Path, "a request on a connection that is being closed"
		if older {
			e.Note = "a request of an older incarnation"
		}
		c.by.host.note(e)
		panic(http.ErrAbortHandler)
	}
	// A life that goes on keeps its connections from one delivery to the next.
	e.Delivery = now.delivery
	c.by.host.serve(w, r, e)
}

func (s *slot) close() error {
	s.mu.Lock()
	s.over = true
	s.mu.Unlock()
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
	if s.hold != nil {
		err = errors.Join(err, s.hold.Close())
	}
	cutters.Delete(s.id)
	return err
}
