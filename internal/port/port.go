// Package port keeps a port of loopback for somebody who listens on it now and then:
// nobody else gets it, and while nobody listens a connection is refused.
package port

import "strconv"

// Held is a port that is kept. Whoever is to listen on it sets SO_REUSEADDR, as
// servers do by themselves.
type Held struct {
	// Number is the port.
	Number int
	fd     int
}

// Address is host and port.
func (h *Held) Address() string { return "127.0.0.1:" + strconv.Itoa(h.Number) }
