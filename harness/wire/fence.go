package wire

import (
	"context"
	"fmt"
	"io"
	"net"
)

// fence proves that every connection which was opened before has reached the tap:
// proxy and server accept in order, so once one of our own has, all have.
func (s *slot) fence(ctx context.Context) error {
	if s.down {
		return nil
	}
	d := net.Dialer{}
	c, err := d.DialContext(ctx, "tcp", reachable(s.proxy.Listen))
	if err != nil {
		return fmt.Errorf("slot: fence: %w", err)
	}
	defer c.Close()
	forget(c)
	if deadline, ok := ctx.Deadline(); ok {
		_ = c.SetDeadline(deadline)
	}
	if _, err := io.WriteString(c, s.probe()); err != nil {
		return fmt.Errorf("slot: fence: %w", err)
	}
	if _, err := c.Read(make([]byte, 512)); err != nil {
		return fmt.Errorf("slot: fence: %w", err)
	}
	return nil
}

// probe is what makes the tap's end answer without a request.
func (s *slot) probe() string {
	if b := s.bound.Load(); b != nil && b.host.protocol() != nil {
		return b.host.protocol().Probe
	}
	return "GET " + fencePath + " HTTP/1.1\r\nHost: fence\r\n\r\n"
}

const fencePath = "/.drill/fence"

// reachable is where this machine reaches a listener of every interface.
func reachable(address string) string {
	host, port, err := net.SplitHostPort(address)
	if ip := net.ParseIP(host); err == nil && ip != nil && ip.IsUnspecified() {
		if ip.To4() != nil {
			return net.JoinHostPort("127.0.0.1", port)
		}
		return net.JoinHostPort("::1", port)
	}
	return address
}
