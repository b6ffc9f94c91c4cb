package sim

import (
	"sync"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/tap"
)

// trials are those that are over, of which the next ones make use: most of what a
// trial needs is the same in each. It is safe for concurrent use.
type trials struct {
	mu   sync.Mutex
	idle []*trial
}

// maxKept bounds how many are kept, and maxExchanges how long one of them may have
// been: a long one holds what short ones never need.
const (
	maxKept      = 64
	maxExchanges = 1 << 10
)

// take returns the room for a trial, of before or new.
func (k *trials) take(w *World) *trial {
	k.mu.Lock()
	defer k.mu.Unlock()
	n := len(k.idle)
	if n == 0 {
		return newTrial(w)
	}
	t := k.idle[n-1]
	k.idle = k.idle[:n-1]
	return t
}

// give keeps a trial that is over.
func (k *trials) give(t *trial) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.idle) < maxKept && t.exchanges.Len() <= maxExchanges {
		k.idle = append(k.idle, t)
	}
}

// histories are those of which the next ones make use. It is safe for concurrent use.
type histories struct {
	mu   sync.Mutex
	idle []*harness.History
}

// take returns an empty one.
func (k *histories) take() *harness.History {
	k.mu.Lock()
	defer k.mu.Unlock()
	n := len(k.idle)
	if n == 0 {
		return &harness.History{Room: &tap.Room{}}
	}
	h := k.idle[n-1]
	k.idle = k.idle[:n-1]
	return h
}

// give keeps a history: all of it is said anew by the next trial. One that is long is left alone, since it holds
// what short ones never need.
func (k *histories) give(h *harness.History) {
	if _, ours := h.Room.(*tap.Room); !ours || len(h.Events) > maxExchanges {
		return
	}
	h.Events = nil
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.idle) < maxKept {
		k.idle = append(k.idle, h)
	}
}
