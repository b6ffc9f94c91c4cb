package wire

import "net/http"

// Busy counts the connections whose request is at work.
func Busy(s *Stand) int {
	n := 0
	for _, c := range s.slot.snapshot() {
		s.slot.mu.Lock()
		if c.state == http.StateActive {
			n++
		}
		s.slot.mu.Unlock()
	}
	return n
}

// Open counts the connections at the tap.
func Open(s *Stand) int { return s.slot.open() }
