package wire

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"

	"github.com/retrydrill/drill/harness/deliver"
)

// nowhere is a name that no resolver can have an address for, and that none asks the
// network for: it is longer than a name may be (RFC 1035 section 2.3.4), and it stands
// under a domain that does not resolve (RFC 6761 section 6.4).
var nowhere = strings.Repeat("this-name-does-not-resolve.", 10) + "invalid"

// cutOff reports whether a hand-over's worker does not come as far as a connection.
func cutOff(d *deliver.Hand) bool { return d.Unreachable(nowhere) != nil }

// unreachable is what a connection of a Go function comes to during its hand-over.
func (t *trial) unreachable(s *seat) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s.hand == nil {
		return nil
	}
	return s.hand.Unreachable(nowhere)
}

// addressFor is the target as a worker gets it for a hand-over. A Go function keeps the
// one that it was built with: what dials for it answers in its place.
func (t *trial) addressFor(s *seat, d *deliver.Hand) string {
	switch {
	case s.process && d.Has("no-name"):
		_, port, _ := net.SplitHostPort(s.slot.address)
		return "http://" + net.JoinHostPort(nowhere, port)
	case s.process && s.alerts != nil:
		return "https://" + s.alerts.Addr().String()
	}
	return s.slot.url(t.protocol())
}

// pastProxies are variables that have a worker resolve the name by itself.
func pastProxies(d *deliver.Hand) []string {
	if !d.Has("no-name") {
		return nil
	}
	return []string{"NO_PROXY=" + loopback + "," + nowhere, "no_proxy=" + loopback + "," + nowhere}
}

// cut lets a worker lose the target for a hand-over, and joins lets it come back: its
// connections end, and a process that knows the address is started anew.
func (s *seat) cut(d *deliver.Hand) (err error) {
	if !cutOff(d) {
		return nil
	}
	s.slot.closeConns()
	if !s.process {
		return nil
	}
	if d.Has("no-tls") {
		if s.alerts, err = newAlerts(); err != nil {
			return err
		}
	}
	return s.restart()
}

func (s *seat) joins(d *deliver.Hand) error {
	if !cutOff(d) || !s.process {
		return nil
	}
	var err error
	if s.alerts != nil {
		err = s.alerts.Close()
		s.alerts = nil
	}
	return errors.Join(err, s.restart())
}

func (s *seat) restart() error {
	if err := s.runner.Close(); err != nil {
		return fmt.Errorf("worker %d: %w", s.number, err)
	}
	return nil
}

// alerts is where each TLS handshake is answered with an alert.
type alerts struct {
	net.Listener
	over sync.WaitGroup
}

func newAlerts() (*alerts, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("no-tls: %w", err)
	}
	a := &alerts{Listener: ln}
	a.over.Go(func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			a.over.Go(func() {
				_ = tls.Server(c, deliver.Refusing()).Handshake()
				_ = c.Close()
			})
		}
	})
	return a, nil
}

// Close ends it once those that it answers are gone: their worker is.
func (a *alerts) Close() error {
	err := a.Listener.Close()
	a.over.Wait()
	return err
}
