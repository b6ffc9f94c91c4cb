package fakes

import (
	"slices"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/internal/lone"
)

// ledger is the append-only list of effects.
type ledger struct {
	mu      lone.Mutex
	entries []harness.Effect
	observe func(harness.Effect)
}

// append numbers an effect, adds it and tells the watcher, in that order.
func (l *ledger) append(e harness.Effect) {
	l.mu.Lock()
	e.Seq = len(l.entries) + 1
	l.entries = append(l.entries, e)
	observe := l.observe
	l.mu.Unlock()
	if observe != nil {
		observe(e)
	}
}

// reset forgets the entries and the watcher. Whoever got the entries keeps them, unless
// they are to be written over.
func (l *ledger) reset(over bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.observe = nil
	if l.entries = l.entries[:0]; !over {
		l.entries = nil
	}
}

func (l *ledger) watch(observe func(harness.Effect)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.observe = observe
}

// all returns the entries so far, which nobody may change. Who appends to them gets a
// list of its own.
func (l *ledger) all() []harness.Effect {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clip(l.entries)
}
