package worker

import (
	"context"
	"sync"
)

// tally is a number that grows and can be waited for.
type tally struct {
	mu    sync.Mutex
	n     int
	grown chan struct{}
}

func (t *tally) add() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.n++
	if t.grown != nil {
		close(t.grown)
		t.grown = nil
	}
}

// reach waits until the number is n, or the context is over.
func (t *tally) reach(ctx context.Context, n int) {
	for {
		grown := t.below(n)
		if grown == nil {
			return
		}
		select {
		case <-grown:
		case <-ctx.Done():
			return
		}
	}
}

// below returns what is closed when the number grows, or nil where it is n already.
func (t *tally) below(n int) chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.n >= n {
		return nil
	}
	if t.grown == nil {
		t.grown = make(chan struct{})
	}
	return t.grown
}
