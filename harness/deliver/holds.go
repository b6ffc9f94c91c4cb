package deliver

import (
	"iter"

	"github.com/retrydrill/drill/internal/lone"
)

// Holds are the requests that wait for an event. The zero value is ready to use; it
// is safe for concurrent use.
type Holds struct {
	mu    lone.Mutex
	held  []held
	begun int
	over  bool
}

type held struct {
	worker   int
	hopeless chan struct{}
}

// Alone says that nobody asks while another one does, before anybody asks.
func (h *Holds) Alone() { h.mu.Alone = true }

// Reset forgets all.
func (h *Holds) Reset() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.held, h.begun, h.over = h.held[:0], 0, false
}

// Begin marks a worker as held. The channel is closed once nobody is left that could
// make the event happen.
func (h *Holds) Begin(worker int) (hopeless <-chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.begun++
	k := held{worker, make(chan struct{})}
	if h.over {
		close(k.hopeless)
		return k.hopeless
	}
	h.held = append(h.held, k)
	return k.hopeless
}

// End forgets a hold.
func (h *Holds) End(hopeless <-chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for i, k := range h.held {
		if k.hopeless == hopeless {
			h.held = append(h.held[:i], h.held[i+1:]...)
			return
		}
	}
}

// Over ends all of them, and those to come: nobody is handed anything any more.
func (h *Holds) Over() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, k := range h.held {
		close(k.hopeless)
	}
	h.held, h.over = h.held[:0], true
}

// Fewer notes that a worker who was free is so no more, without being held: it counts as one
// that began.
func (h *Holds) Fewer() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.begun++
}

// Begun is how many have begun so far.
func (h *Holds) Begun() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.begun
}

// Release ends the holds of workers beside whom none of those at work is free, and
// reports whether there was one. Where one began since the hand-overs were last seen to,
// when so many had begun, none ends: what led to it may have made a hand-over due.
func (h *Holds) Release(begun int, atWork iter.Seq[int]) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.held) == 0 || h.begun > begun {
		return false
	}
	holding := map[int]bool{}
	for _, k := range h.held {
		holding[k.worker] = true
	}
	rest := h.held[:0:0]
	for _, k := range h.held {
		hope := false
		for n := range atWork {
			hope = hope || n != k.worker && !holding[n]
		}
		if hope {
			rest = append(rest, k)
			continue
		}
		close(k.hopeless)
	}
	released := len(rest) < len(h.held)
	h.held = rest
	return released
}
