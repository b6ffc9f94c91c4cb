package wire

import (
	"net/http"
	"runtime"
	"time"
)

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

// Stall keeps the tap from taking in connections beyond the next one, and returns once a
// second life is at work, or for long enough none is. Stalled is closed when it has begun.
func Stall(w *World, stalled chan<- struct{}, enough time.Duration) {
	w.mu.Lock()
	s := w.all[0]
	w.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	close(stalled)
	for end := time.Now().Add(enough); time.Now().Before(end); runtime.Gosched() {
		if s.bound.Load().incarnation > 1 {
			return
		}
	}
}
